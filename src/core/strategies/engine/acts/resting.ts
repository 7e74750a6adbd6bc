import type { OrderState } from '../state/order.js'
import type { RunState } from '../state/run-state.js'
import { eventOf, restingText } from '../texts.js'

/** A market order that works longer may have ended without an update. */
const WAITING_MS = 5_000
/** An exit that works longer is reported: market protection or a circuit limit keeps it from filling. */
const RESTING_MS = 30_000

/** Notes since when orders work at the broker, and tells of each exit that rests there. */
export function watchResting(state: RunState): void {
  for (const order of state.orders.values()) {
    if (!order.isWorking || !order.isPlaced) continue
    order.restsSince ??= state.elapsed
    if (!order.isEntry && !order.isRestReported && restsFor(state, order) >= RESTING_MS)
      tellResting(state, order)
  }
}

/** Returns whether the broker has had an order for some seconds without its end, or has told no price of a fill. */
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
