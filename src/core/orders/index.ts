export { type Answer, failure, success } from './answer.js'
export { QueuedOrderExecutor, resultOf } from './approval-executor.js'
export { Books, journalView, type SimulatedBooks } from './books.js'
export { OrderDesk } from './desk.js'
export { Idempotency } from './idempotency.js'
export { type JournalEntry, type JournalEvent, type JournalRow, OrderJournal } from './journal.js'
export { LiveSender } from './live.js'
export { isOrderRef, newOrderRef } from './order-ref.js'
export type {
  DeskPorts,
  LiveExecution,
  OrderEvent,
  PlaceContext,
  QueuePort,
  SimulatedExecution,
} from './ports.js'
export { Reconciler } from './reconcile.js'
export {
  type Action,
  type OrderRequest,
  type OrderStatus,
  type PlaceOrderPayload,
  type PriceType,
  type Product,
  placeOrderBody,
  placeOrderPayload,
  toOrderRequest,
} from './schema.js'
export { ORDER_STATES, type OrderState } from './states.js'
export { OrderUpdates } from './updates.js'
