import type { StrategyOrderEnd, StrategyOrderState } from '../../orders/index.js'
import type { StrategyOrderStatus } from '../config/index.js'
import type { AckOutcome } from '../engine/types.js'
import type { OrderRowChange } from './run-store.js'

/** The words of the order path in those of strategies. */
const STATUS: Readonly<Record<StrategyOrderState['status'], StrategyOrderStatus>> = {
  unsent: 'rejected',
  queued: 'pending',
  sending: 'pending',
  in_doubt: 'pending',
  open: 'open',
  complete: 'complete',
  cancelled: 'cancelled',
  rejected: 'rejected',
}

/** Returns the durable state of an order as a change of its row. */
export function changeOfState(state: StrategyOrderState): OrderRowChange {
  const { orderRef, filledQuantity, averagePrice, orderId, reason, pendingOrderId } = state
  const why = state.status === 'unsent' ? (reason ?? 'The order was never sent') : reason
  const status = STATUS[state.status]
  return { orderRef, status, filledQuantity, averagePrice, orderId, reason: why, pendingOrderId }
}

/** Returns the answer to the placing of an order, as the engine takes it. */
export function ackOf(end: StrategyOrderEnd): AckOutcome {
  switch (end.outcome) {
    case 'placed':
      return { outcome: 'accepted', brokerOrderId: end.orderId }
    case 'queued':
      return { outcome: 'queued' }
    case 'in_doubt':
      return { outcome: 'unknown' }
    default:
      return { outcome: 'refused', reason: end.message || 'Order rejected' }
  }
}

/** Returns the answer to the placing of an order as a change of its row. */
export function changeOfEnd(end: StrategyOrderEnd): OrderRowChange {
  const { orderRef } = end
  const change = { orderRef, filledQuantity: 0, averagePrice: null, orderId: null, reason: null }
  switch (end.outcome) {
    case 'placed':
      return { ...change, status: 'open', orderId: end.orderId }
    case 'queued':
      return { ...change, status: 'pending', pendingOrderId: end.pendingOrderId }
    case 'in_doubt':
      return { ...change, status: 'pending' }
    default:
      return { ...change, status: 'rejected', reason: end.message || 'Order rejected' }
  }
}
