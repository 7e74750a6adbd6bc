export { AccountViews, journalView, type SandboxViews } from './account/account-views.js'
export { Margins, marginBody } from './account/margins.js'
export { BrokerTimer } from './broker-time.js'
export type { ChangeOrders } from './change/change-orders.js'
export {
  type CancelOrderPayload,
  cancelOrderBody,
  cancelOrderPayload,
  closePositionsPayload,
  type ModifyOrderPayload,
  modifyOrderBody,
  modifyOrderPayload,
  type WholeAccountPayload,
  wholeAccountBody,
  wholeAccountPayload,
} from './change/schema.js'
export { expired, requireInTime } from './deadline.js'
export type { GttOrders } from './gtt/gtt-orders.js'
export {
  type CancelGttPayload,
  cancelGttBody,
  type ModifyGttPayload,
  modifyGttBody,
  type PlaceGttPayload,
  placeGttBody,
} from './gtt/schema.js'
export { type JournalEntry, type JournalEvent, type JournalRow, OrderJournal } from './journal/journal.js'
export { OpenOrders } from './journal/open-orders.js'
export { OrderUpdates } from './journal/order-updates.js'
export type { Reconciler } from './journal/reconciler.js'
export { ORDER_STATES, type OrderState } from './journal/states.js'
export type { ClosePayload } from './multi/close.js'
export type { MultiOrders } from './multi/multi-orders.js'
export type { OptionRequest, OptionResolver, ResolvedOption } from './multi/option-port.js'
export { answerOf, ordersOf } from './multi/plan.js'
export {
  type BasketOrderPayload,
  basketOrderBody,
  basketOrderPayload,
  type OptionsMultiOrderPayload,
  type OptionsOrderPayload,
  optionsMultiOrderBody,
  optionsMultiOrderPayload,
  optionsOrderBody,
  optionsOrderPayload,
  type SmartOrderPayload,
  type SplitOrderPayload,
  smartOrderBody,
  smartOrderPayload,
  splitOrderBody,
  splitOrderPayload,
} from './multi/schema.js'
export { type OrderPath, openOrderPath } from './order-path.js'
export { isOrderRef, newOrderRef } from './order-ref.js'
export type { SingleOrders } from './place/single-orders.js'
export type {
  LiveExecution,
  LiveOrders,
  OrderEvent,
  OrderPorts,
  PlaceContext,
  PositionFilter,
  PositionRef,
  QueuePort,
  SandboxExecution,
  SandboxGtts,
} from './ports.js'
export { publishFailure } from './publish-failure.js'
export { failure, type OrderResult, success } from './result.js'
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
  placeOrderBody,
  placeOrderPayload,
  toOrderRequest,
} from './schema.js'
export type { StrategyFill } from './strategy/pnl.js'
export { StrategyBook, type StrategyPnl } from './strategy/strategy-book.js'
