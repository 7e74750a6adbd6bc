import { isDeepStrictEqual } from 'node:util'
import type { StrategyOrderEnd, StrategyOrderState } from '../../orders/index.js'
import type { StrategyOrderStatus } from '../config/index.js'
import type { AckOutcome, OrderUpdate } from '../engine/messages.js'
import type { NewRunEvent, OrderRowChange, RunWrite } from './store/run-rows.js'

/** The words of the order path in those of strategies. */
const STATUS: Readonly<Record<StrategyOrderState['status'], StrategyOrderStatus>> = {
  unsent: 'rejected',
  queued: 'pending',
  sending: 'pending',
  in_doubt: 'pending',
  lapsed: 'pending',
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

/** Returns the durable state of an order as news for the engine. */
export function updateOf(state: StrategyOrderState, at: number): OrderUpdate {
  const { averagePrice, filledQuantity, orderId, orderRef, reason, status } = changeOfState(state)
  return {
    type: 'order',
    orderId: orderRef,
    status,
    filledQuantity,
    averagePrice,
    at,
    brokerOrderId: orderId,
    reason,
    isInDoubt: state.status === 'lapsed',
  }
}

/**
 * Returns the state of an order at the start of the service as news for the engine. An order that never left was not
 * refused: the service stopped before it. Nobody knows how an order in doubt ended.
 */
export function updateAtStart(state: StrategyOrderState, at: number): OrderUpdate {
  return {
    ...updateOf(state, at),
    isInDoubt: state.status === 'lapsed' || state.status === 'in_doubt',
    isUnsent: state.status === 'unsent',
  }
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
    case 'not_sent':
      return { outcome: 'refused', reason: end.message || 'Order rejected', sent: false }
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

/** The news about the orders of one run. A fill comes with the answer of the broker and as an update, and is stored once. */
export class OrderNews {
  readonly #last = new Map<string, OrderRowChange>()

  /** Returns the change of the order's row; none if the last news was the same. */
  changesOf(state: StrategyOrderState): OrderRowChange[] {
    const change = changeOfState(state)
    if (isDeepStrictEqual(this.#last.get(change.orderRef), change)) return []
    this.#last.set(change.orderRef, change)
    return [change]
  }
}

/**
 * Returns the events for answers of the broker whose rows could not be written. The sweep writes exactly those rows. News
 * of an order that has no answer yet is no answer.
 * @param legs the legs of the orders
 */
export function unrecordedEvents(
  { at, changes, runId, strategyId }: RunWrite,
  userId: string,
  legs: ReadonlyMap<string, number>,
): NewRunEvent[] {
  const answers = changes.filter(({ status }) => status !== 'pending')
  return answers.map(({ orderRef, orderId, reason, status }) => {
    const legId = legs.get(orderRef) ?? null
    return {
      strategyId,
      runId,
      userId,
      ts: at,
      legId,
      kind: 'order_ack_unrecorded',
      severity: 'critical',
      message: `The answer for order ${orderRef} could not be stored at once`,
      payload: {
        version: 1,
        order_id: orderRef,
        run_id: runId,
        leg_id: legId,
        broker_order_id: orderId,
        accepted: status !== 'rejected',
        status,
        reject_reason: reason,
      },
    }
  })
}
