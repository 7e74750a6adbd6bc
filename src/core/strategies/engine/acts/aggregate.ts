import { formatMoney, fromMoney, toRupees } from '../../../money/index.js'
import { MINUTE_MS, SECOND_MS } from '../../../time/index.js'
import type { EventKind, Severity } from '../../config/vocabulary.js'
import type { Tick } from '../messages.js'
import { lockFloor, reachedLimit, type Totals, type Trigger } from '../risk/aggregate.js'
import type { RunState } from '../state/run-state.js'
import { eventOf, lastPricesText } from '../texts.js'
import { requestStop } from './requests/stop.js'

/** The limits that protect from a loss are judged at the last known prices after this time without a true total. */
const LONGEST_BLIND_MS = MINUTE_MS

/**
 * Compares the total with the limits of the run, and stops the run at the first one it reaches. A total that mixes new
 * prices with old or missing ones is none: one leg of a hedged pair would stop the run. It waits for the others, but a run
 * must not stay without a stop: after a minute a loss counts at the last known prices. A profit never does.
 */
export function judgeTotals(state: RunState, tick: Tick | null): void {
  if (state.stop !== null || state.ended !== null || !state.hasStarted) return
  const { plan, total, peak, earlier, isTotalCurrent } = state
  if (!isTotalCurrent && !isBlindTooLong(state)) return
  const totals: Totals = { total, peak, earlier }
  if (isTotalCurrent) moveFloor(state, totals)
  const trigger = reachedLimit(plan, state.floor, totals, areStopsAtEntry(state))
  if (trigger === null || (trigger.reason === 'overall_target' && !isTotalCurrent)) return
  state.event(triggerEvent(state, trigger, tick))
  requestStop(state, trigger.reason)
}

/** Returns whether the total has not been a true one for long. Nothing waits while every exchange is closed. */
function isBlindTooLong(state: RunState): boolean {
  const { closed, elapsed, legs } = state
  const trades = legs.some(({ contract, held }) => held.length > 0 && !closed.has(contract.exchange))
  state.blindSince = trades ? (state.blindSince ?? elapsed) : null
  return state.blindSince !== null && elapsed - state.blindSince >= LONGEST_BLIND_MS
}

/** Returns whether the stops of the legs replace the overall stop: each held position loses nothing at its own. */
function areStopsAtEntry({ isTrailToEntryActive, legs }: RunState): boolean {
  if (!isTrailToEntryActive) return false
  const held = legs.flatMap((leg) => leg.held)
  return held.length > 0 && held.every(({ isProtected }) => isProtected)
}

function moveFloor(state: RunState, totals: Totals): void {
  const floor = lockFloor(state.plan, state.floor, totals)
  state.floor = floor
  tellFloor(state)
}

/** Reports the floor when it is armed, then each step of it, at most once a second: it moves with each new peak. */
export function tellFloor(state: RunState): void {
  const { floor, reportedFloor: reported, total } = state
  if (floor === null) return
  const isArming = reported === null
  const step = state.plan.lock?.step ?? 0n
  if (reported !== null && (floor === reported || floor - reported < step)) return
  if (isTooSoon(state.reportedFloorAt, state.elapsed)) return
  state.reportedFloor = floor
  state.reportedFloorAt = state.elapsed
  const payload = { floor: toRupees(floor), total: toRupees(total) }
  state.event(
    isArming
      ? eventOf('lock_profit_armed', `Lock profit armed with a floor of ${formatMoney(floor)}`, { payload })
      : eventOf('lock_profit_floor_advanced', `Lock profit floor advanced to ${formatMoney(floor)}`, {
          payload,
        }),
  )
  state.emit({ type: 'checkpoint' })
}

function triggerEvent(state: RunState, trigger: Trigger, tick: Tick | null) {
  const { kind, severity, message } = triggerText(state, trigger)
  const unvalued = state.legs.filter(({ isValued }) => !isValued).map(({ contract }) => contract.symbol)
  const note = unvalued.length === 0 ? '' : lastPricesText(unvalued)
  const payload = {
    trigger_total: toRupees(state.total),
    reason: trigger.reason,
    threshold: toRupees(trigger.threshold),
    triggering_tick: tick && { symbol: tick.symbol, exchange: tick.exchange, ltp: tick.price },
    legs: state.legs.flatMap((leg) =>
      leg.held.map((position) => ({
        symbol: position.contract.symbol,
        exchange: position.contract.exchange,
        ltp: leg.ltp === null ? null : fromMoney(leg.ltp),
        mtm: toRupees(position.unrealized(leg.ltp)),
        tick_source: leg.source,
        is_valued: leg.isValued,
        qty: position.held,
        position: position.side > 0n ? 'B' : 'S',
      })),
    ),
  }
  return eventOf(kind, `${message}${note}`, { severity, payload })
}

function triggerText(
  { total, earlier }: RunState,
  { reason, threshold }: Trigger,
): { kind: EventKind; severity: Severity; message: string } {
  const at = `the run is at ${formatMoney(total)}`
  switch (reason) {
    case 'daily_loss_limit': {
      const [down, limit] = [formatMoney(-(earlier + total)), formatMoney(-threshold)]
      const message = `Daily loss limit reached: the session is down ${down} against a limit of ${limit}`
      return { kind: 'overall_sl_hit', severity: 'critical', message }
    }
    case 'overall_sl': {
      const message = `Overall stop reached: ${at} against a stop of ${formatMoney(threshold)}`
      return { kind: 'overall_sl_hit', severity: 'warn', message }
    }
    case 'overall_target': {
      const message = `Overall target reached: ${at} against a target of ${formatMoney(threshold)}`
      return { kind: 'overall_target_hit', severity: 'warn', message }
    }
    case 'lock_profit': {
      const message = `Lock profit triggered: ${at}, at or below its floor of ${formatMoney(threshold)}`
      return { kind: 'lock_profit_triggered', severity: 'warn', message }
    }
  }
}

/** Returns whether a level was reported less than a second ago. */
export function isTooSoon(reportedAt: number, elapsed: number): boolean {
  return elapsed - reportedAt < SECOND_MS
}
