import { formatMoney, fromMoney, toRupees } from '../../../money/index.js'
import type { EventKind, Severity } from '../../config/vocabulary.js'
import { lockFloor, reachedLimit, type Totals, type Trigger } from '../risk/aggregate.js'
import type { RunState } from '../state/run-state.js'
import { eventOf } from '../texts.js'
import type { Tick } from '../types.js'
import { requestStop } from './stop.js'

/** Compares the total with the limits of the run, and stops the run at the first one it reaches. */
export function judgeTotals(state: RunState, tick: Tick | null): void {
  if (state.stop !== null || state.ended !== null || !state.hasStarted) return
  const { plan, total, peak, earlier } = state
  const totals: Totals = { total, peak, earlier }
  moveFloor(state, totals)
  const trigger = reachedLimit(plan, state.floor, totals, state.isTrailToEntryActive)
  if (trigger === null) return
  state.event(triggerEvent(state, trigger, tick))
  requestStop(state, trigger.reason)
}

function moveFloor(state: RunState, totals: Totals): void {
  const floor = lockFloor(state.plan, state.floor, totals)
  if (floor === null || floor === state.floor) return
  const isArming = state.floor === null
  state.floor = floor
  const told = state.reportedFloor
  // A trailing floor moves with each new peak. An event for each step is enough.
  const step = state.plan.lock?.step ?? 0n
  if (!isArming && told !== null && floor - told < step) return
  state.reportedFloor = floor
  const payload = { floor: toRupees(floor), total: toRupees(totals.total) }
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
  const { kind, severity, message } = textOf(state, trigger)
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
        qty: position.held,
        position: position.side > 0n ? 'B' : 'S',
      })),
    ),
  }
  return eventOf(kind, message, { severity, payload })
}

function textOf(
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
