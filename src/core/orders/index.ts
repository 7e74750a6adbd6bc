export { AccountViews, journalView, type SandboxViews } from './account/account-views.js'
export type {
  FundsView,
  HoldingsView,
  HoldingView,
  OrderBookView,
  OrderView,
  PositionBookView,
  PositionView,
  TradeView,
} from './account/book-rows.js'
export { liveOrderRow } from './account/live-views.js'
export { Margins, marginPayload } from './account/margins.js'
export type { PlannedApproval, PlannedApprovalLeg } from './approval/plans.js'
export type { SmartTrade } from './approval/smart-trades.js'
export type { ChangeOrders } from './change/change-orders.js'
export {
  type CancelOrderPayload,
  cancelOrderPayload,
  closePositionsPayload,
  type ModifyOrderPayload,
  modifyOrderPayload,
  type WholeAccountPayload,
  wholeAccountPayload,
} from './change/schema.js'
export { expired, requireInTime } from './deadline.js'
export { BrokerDrift, type Drift, driftText } from './drift/broker-drift.js'
export { DriftStore } from './drift/drift-store.js'
export type { GttOrders } from './gtt/gtt-orders.js'
export {
  type CancelGttPayload,
  cancelGttPayload,
  type ModifyGttPayload,
  modifyGttPayload,
  type PlaceGttPayload,
  placeGttPayload,
} from './gtt/schema.js'
export { type JournalEntry, ORDER_SOURCES, type OrderSource } from './journal/entry.js'
export { OrderHistory, type UnsentOrder } from './journal/history-store.js'
export { KEY_LIFETIME_MS, KEY_REUSED } from './journal/idempotency.js'
export { type JournalEvent, type JournalRow, OrderJournal } from './journal/journal.js'
export { OrderUpdates } from './journal/order-updates.js'
export { type GttEnd, gttRefusal, OpenGtts } from './journal/reconciliation/open-gtts.js'
export { OpenOrders } from './journal/reconciliation/open-orders.js'
export type { Reconciler } from './journal/reconciliation/reconciler.js'
export { ORDER_STATES, type OrderState } from './journal/states.js'
export { OrderTrace } from './journal/trace-store.js'
export { countUnsettled } from './journal/unsettled-store.js'
export type { ClosePayload } from './multi/close.js'
export type { Planned } from './multi/kind.js'
export type { MultiOrders } from './multi/multi-orders.js'
export type { OptionRequest, OptionResolver, ResolvedOption } from './multi/option-port.js'
export { legResults, ordersOf, resultOfPlan } from './multi/plans/plan.js'
export {
  type BasketOrderPayload,
  basketOrderPayload,
  MAX_BASKET,
  MAX_OPTION_LEGS,
  type OptionsMultiOrderPayload,
  type OptionsOrderPayload,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  type SmartOrderPayload,
  type SplitOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
} from './multi/schema.js'
export { MAX_PARTS } from './multi/split.js'
export { type AlertFacts, type AlertLine, fact, failure } from './operations/alert-lines.js'
export type { OpenedRequest } from './operations/execution.js'
export type { OrderOperation } from './operations/order-operation.js'
export {
  COUNTED_OPERATIONS,
  changesOne,
  ORDER_CALLS,
  ORDER_OPERATION_NAMES,
  type OrderCall,
  type OrderOperationName,
  openRequest,
  orderOperation,
  placesOrders,
  VALUED_OPERATIONS,
} from './operations/order-operations.js'
export { type OrderPath, type OrderServices, openOrderPath } from './order-path.js'
export { isOrderRef, newOrderRef, timeOfOrderRef } from './order-ref.js'
export { requireOnlyMode, switchedSince } from './pipeline/last-check.js'
export type { SingleOrders } from './place/single-orders.js'
export {
  isOtherAccount,
  type LiveExecution,
  type LiveOrders,
  type OrderEvent,
  type OrderPorts,
  type OutcomeEvent,
  type OutcomeTopic,
  type PlaceContext,
  type QueuePort,
  type RefusedOrder,
  type SandboxExecution,
  type SandboxGtts,
  type TimedOrder,
} from './ports.js'
export { publishFailure } from './publish/publish-failure.js'
export {
  codeOf,
  type Failure,
  isInDoubt,
  isPassed,
  isPlaced,
  isWhole,
  type LegResult,
  messageOfResult,
  notSent,
  type OrderResult,
  type PreviewedResult,
  type SingleResult,
  shortfallOf,
} from './result.js'
export {
  ACTIONS,
  type Action,
  clientOrderIdField,
  contradiction,
  FOREIGN_PRODUCTS,
  type HistoryQuery,
  hasPrice,
  ignoredPrices,
  impliedType,
  missingPrices,
  OPTION_PRODUCTS,
  ORDER_PRODUCTS,
  type OrderPayload,
  type OrderRequest,
  type OrderStatus,
  PAST_STATUSES,
  type PastOrder,
  type PastStatus,
  type PastTrade,
  type PlaceOrderPayload,
  PRICE_TYPES,
  PRODUCTS,
  type PriceName,
  type PriceType,
  type Product,
  placeOrderPayload,
  priceTypeNamed,
  type TermNames,
  toOrderRequest,
  VALIDITIES,
} from './schema.js'
export { LIVE_FILLS } from './strategy/live-fills.js'
export type { CancelOutcome, StrategyOrders } from './strategy/orders.js'
export type { Contract, LegRules, StrategyLeg } from './strategy/pnl.js'
export {
  type AccountFill,
  type AccountQuestion,
  type AccountState,
  type RunAccount,
  StrategyPositions,
} from './strategy/positions.js'
export type {
  SentBy,
  SentOrder,
  StrategyOrder,
  StrategyOrderEnd,
  StrategyOrderState,
  StrategyOrderStatus,
} from './strategy/schema.js'
export type { StrategyShare } from './strategy/shares.js'
export { StrategyBook, type StrategyPnl } from './strategy/strategy-book.js'
export { type FillLog, StrategyTotals } from './strategy/totals.js'
export { countWorking } from './strategy/working-orders.js'
export { disclosedText, keptDisclosed } from './terms/disclosed.js'
export { requestValue } from './terms/request-value.js'
