export { type Answer, failure, success } from './answer.js'
export { resultFromJournal } from './approval-result.js'
export { Books, journalView, type SimulatedBooks } from './books.js'
export type { ChangeDesk } from './change-desk.js'
export {
  type CancelOrderPayload,
  cancelOrderPayload,
  closePositionsPayload,
  type ModifyOrderPayload,
  modifyOrderPayload,
  type WholeAccountPayload,
  wholeAccountPayload,
} from './change-schema.js'
export type { ClosePayload } from './close.js'
export type { Planned } from './composite.js'
export type { CompositeDesk } from './composite-desk.js'
export {
  type BasketOrderPayload,
  basketOrderPayload,
  type OptionsMultiOrderPayload,
  type OptionsOrderPayload,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  type SmartOrderPayload,
  type SplitOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
} from './composite-schema.js'
export { requireInTime } from './deadline.js'
export type { OrderDesk } from './desk.js'
export { exchangeMs } from './exchange-time.js'
export { tellFault } from './fault.js'
export type { GttDesk } from './gtt-desk.js'
export {
  type CancelGttPayload,
  cancelGttPayload,
  type ModifyGttPayload,
  modifyGttPayload,
  type PlaceGttPayload,
  placeGttPayload,
} from './gtt-schema.js'
export { type JournalEntry, type JournalEvent, type JournalRow, OrderJournal } from './journal.js'
export { Margins, marginPayload } from './margins.js'
export { EXECUTABLE, type OpenedRequest, type OrderDesks } from './operations.js'
export type { OptionRequest, OptionResolver, ResolvedOption } from './option-port.js'
export { type OrderPath, openOrderPath } from './order-path.js'
export { isOrderRef, newOrderRef } from './order-ref.js'
export { answerOf, ordersOf } from './plan.js'
export type {
  DeskPorts,
  LiveExecution,
  LiveOrders,
  OrderEvent,
  PlaceContext,
  PositionFilter,
  PositionRef,
  QueuePort,
  SimulatedExecution,
  SimulatedGtts,
} from './ports.js'
export type { Reconciler } from './reconcile.js'
export {
  ACTIONS,
  type Action,
  type OrderRequest,
  type OrderStatus,
  type PlaceOrderPayload,
  PRICE_TYPES,
  PRODUCTS,
  type PriceType,
  type Product,
  placeOrderPayload,
  toOrderRequest,
} from './schema.js'
export { ORDER_STATES, type OrderState } from './states.js'
export { StrategyBook, type StrategyPnl } from './strategy-book.js'
export type { StrategyFill } from './strategy-pnl.js'
export { OrderUpdates } from './updates.js'
