import { nextRollover } from '../../../time/index.js'
import { EXIT_KIND_OF_STOP } from '../../config/vocabulary.js'
import type { LegLimits } from '../definition.js'
import type { LegState } from '../state/leg.js'
import type { OrderState } from '../state/order.js'
import type { RunState } from '../state/run-state.js'
import { dayEndText, eventOf, restingText } from '../texts.js'
import { judgeTotals } from './aggregate.js'
import { giveUp, pursueExit } from './exits.js'
import { requestStop } from './requests/stop.js'
import { tellMovedLevels } from './ticks.js'

const NONE: ReadonlySet<string> = new Set()

/** Returns the next moment at which a run acts by itself; infinity if there is none. */
export function nextMoment(state: RunState): number {
  if (!state.hasStarted) return Number.POSITIVE_INFINITY
  const moments = state.legs.flatMap((leg) => (leg.held.length > 0 ? [leg.endsAt] : []))
  // Also while a stop waits for its exits: the profit of a day counts from its beginning.
  if (state.ended === null) moments.push(state.sessionEndsAt)
  if (state.stop === null && state.ended === null) {
    for (const leg of state.legs) if (!leg.isOver) moments.push(leg.squareOff.at)
    moments.push(state.definition.exitAt ?? Number.POSITIVE_INFINITY)
  }
  return Math.min(...moments)
}

/**
 * Squares the run off at its exit time, and each leg whose contract expires or whose day ends. Gives up positions that
 * the account no longer holds.
 */
export function actOnTime(state: RunState): void {
  if (state.now >= state.sessionEndsAt) beginSession(state)
  if (state.stop === null && state.ended === null) squareOff(state)
  for (const leg of state.legs) {
    if (state.now < leg.endsAt) continue
    for (const position of leg.held) giveUp(state, leg, position)
  }
}

/** Takes limits of legs that may have changed, and acts on those that have come. */
export function applyLimits(state: RunState, limits: ReadonlyMap<number, LegLimits>): void {
  for (const leg of state.legs) {
    const changed = limits.get(leg.id)
    if (changed) leg.limit(changed, state.now)
  }
  if (state.now >= nextMoment(state)) actOnTime(state)
}

/** Begins the next trading day: its loss counts from here, without the loss of the day before. */
function beginSession(state: RunState): void {
  state.sessionEndsAt = nextRollover(state.now)
  state.carried = state.total
  state.blindSince = null
  for (const leg of state.legs) leg.isPriceOld = true
  state.emit({ type: 'checkpoint' })
}

function squareOff(state: RunState): void {
  const { exitAt } = state.definition
  if (exitAt !== null && state.now >= exitAt) {
    state.event(eventOf('eod_squareoff', 'Exit time reached: the run is squared off'))
    requestStop(state, 'eod')
    return
  }
  const due = state.legs.filter((leg) => !leg.isOver && state.now >= leg.squareOff.at)
  for (const leg of due) endLeg(state, leg)
  const [first] = due
  if (!first) return
  const others = state.legs.filter((leg) => !leg.isOver && (!leg.isFlat || leg.wait !== null))
  const isAll = state.definition.kind === 'batch' && others.length === 0
  if (isAll && !state.isFlat) {
    requestStop(state, first.squareOff.reason)
    return
  }
  for (const leg of due) {
    for (const position of leg.positions) {
      if (position.isFlat) continue
      position.wantExit(EXIT_KIND_OF_STOP[leg.squareOff.reason])
      pursueExit(state, leg, position)
    }
  }
}

function endLeg(state: RunState, leg: LegState): void {
  leg.isOver = true
  const isIdle = leg.isFlat && leg.wait === null
  leg.wait = null
  if (isIdle) return
  const { symbol } = leg.contract
  const event =
    leg.squareOff.reason === 'expiry'
      ? eventOf('expiry_squareoff', `Leg ${leg.id} is squared off because ${symbol} expires`, {
          legId: leg.id,
        })
      : eventOf('eod_squareoff', dayEndText(leg), { legId: leg.id })
  state.event(event)
}

/** Tries again: cancels that did not work, and exits that are still wanted. An order in doubt waits for its end. */
export function retry(state: RunState, closed: ReadonlySet<string> = NONE): void {
  state.closed = closed
  for (const leg of state.legs) if (closed.has(leg.contract.exchange)) leg.isPriceOld = true
  // A run that waits for prices is judged even if no tick comes at all.
  state.sumUp()
  judgeTotals(state, null)
  watchResting(state)
  tellMovedLevels(state)
  for (const order of state.orders.values()) {
    if (order.isUnwanted && order.isWorking && !order.isInDoubt)
      state.emit({ type: 'cancel', orderId: order.order.id })
  }
  for (const leg of state.legs) {
    for (const position of leg.positions) if (!position.isFlat) pursueExit(state, leg, position)
  }
}

/** Retries without the pauses after refusals. */
export function retryAtOnce(state: RunState): void {
  for (const position of state.positions.values()) position.endPause()
  retry(state, state.closed)
}

/** A market order that works longer may have ended without an update. */
const WAITING_MS = 5_000
/** An exit that works longer is reported: market protection or a circuit limit keeps it from filling. */
const RESTING_MS = 30_000

/** Notes since when orders work at the broker, and tells of each exit that rests there. */
function watchResting(state: RunState): void {
  for (const order of state.orders.values()) {
    if (!order.isWorking || !order.isPlaced) continue
    order.restsSince ??= state.elapsed
    if (!order.isEntry && !order.isRestReported && restsFor(state, order) >= RESTING_MS)
      tellResting(state, order)
  }
}

/** Returns whether the broker has had an order for some seconds without its end, or has reported no price of a fill. */
export function isWaitingForBroker(state: RunState): boolean {
  return [...state.orders.values()].some(
    (order) => order.value === null || (order.isWorking && restsFor(state, order) >= WAITING_MS),
  )
}

function restsFor({ elapsed }: RunState, { restsSince }: OrderState): number {
  return restsSince === null ? 0 : elapsed - restsSince
}

function tellResting(state: RunState, one: OrderState): void {
  one.isRestReported = true
  const { id, legId, positionRef } = one.order
  const payload = {
    order_id: id,
    broker_order_id: one.brokerOrderId,
    position_ref: positionRef,
    filled: one.filled,
  }
  state.event(eventOf('leg_exit_placed', restingText(one), { legId, severity: 'critical', payload }))
}
