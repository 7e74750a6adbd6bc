import type { StrategyOrderKind } from '../../config/vocabulary.js'
import type { Side } from '../risk/leg.js'
import type { LegState } from '../state/leg.js'
import { OrderState } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'

/** Opens a new position of a leg with an entry order. */
export function placeEntry(state: RunState, leg: LegState, side: Side): OrderState {
  return place(state, leg, leg.open(state.ids.position(), side), 'entry', leg.config.quantity)
}

/** Asks for an order. An exit has at most the held quantity. */
export function place(
  state: RunState,
  leg: LegState,
  position: Position,
  kind: StrategyOrderKind,
  quantity: number,
): OrderState {
  const isEntry = kind === 'entry'
  const order = new OrderState({
    id: state.ids.order(),
    legId: leg.id,
    kind,
    positionRef: position.ref,
    exitOwner: isEntry ? null : leg.isOutgoing(position) ? 'superseded' : 'live',
    symbol: position.contract.symbol,
    exchange: position.contract.exchange,
    action: isEntry ? position.entryAction : position.exitAction,
    quantity,
    product: leg.config.product,
  })
  state.addOrder(order, position)
  position.isSettled = false
  state.emit({ type: 'place', order: order.order })
  return order
}

/** Asks for the cancel of a working order. The next retry asks again if it still works then. */
export function cancel(state: RunState, order: OrderState): void {
  if (!order.isWorking || order.isUnwanted) return
  order.isUnwanted = true
  state.emit({ type: 'cancel', orderId: order.order.id })
}
