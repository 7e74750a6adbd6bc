/**
 * What travels on the internal event bus, by topic (specification, "Internal event bus"). Payloads are in the
 * public field names, since subscribers log and relay them; they are shared between subscribers and must not be
 * changed by any.
 */

export type EventMode = 'live' | 'analyze'

/** Members of every order event. */
export interface OrderEventBase {
  mode: EventMode
  /** The API that caused it: `placeorder`, `placesmartorder`, … */
  api_type: string
  /** The request without its credential. */
  request_data: Readonly<Record<string, unknown>>
  response_data: Readonly<Record<string, unknown>>
  /** Whose account; clients of other users do not hear of it. */
  user_id?: string
  /** For routing alerts inside the process only: it never reaches a client, a log or a row. */
  api_key?: string
}

export interface OrderPlaced extends OrderEventBase {
  strategy?: string
  symbol: string
  exchange: string
  action: string
  quantity: number
  pricetype: string
  product: string
  orderid: string
}

export interface OrderFailed extends OrderEventBase {
  symbol?: string
  exchange?: string
  error_message: string
}

export interface OrderNoAction extends OrderEventBase {
  symbol: string
  exchange: string
  message: string
}

export interface OrderModified extends OrderEventBase {
  symbol: string
  exchange: string
  orderid: string
}

export interface OrderModifyFailed extends OrderEventBase {
  symbol: string
  orderid: string
  error_message: string
}

export interface OrderCancelled extends OrderEventBase {
  orderid: string
  status: string
}

export interface OrderCancelFailed extends OrderEventBase {
  orderid: string
  error_message: string
}

export interface OrdersAllCancelled extends OrderEventBase {
  canceled_count: number
  failed_count: number
  canceled_orders: readonly string[]
  failed_cancellations: readonly { orderid: string; message: string }[]
}

/** One position (then it is named), or all of them. */
export interface PositionClosed extends OrderEventBase {
  symbol: string
  exchange: string
  product: string
  orderid: string
  message: string
}

/** A request of several orders is told once, with what became of each. */
interface SeveralOrders extends OrderEventBase {
  strategy: string
  results: readonly Readonly<Record<string, unknown>>[]
  total: number
}

export interface BasketCompleted extends SeveralOrders {
  successful: number
}

export interface OptionsCompleted extends SeveralOrders {
  symbol: string
  exchange: string
  action: string
  pricetype: string
  product: string
  successful: number
}

export interface SplitCompleted extends OptionsCompleted {
  total_quantity: number
  split_size: number
}

export interface MultiOrderCompleted extends SeveralOrders {
  underlying: string
  exchange: string
  successful_legs: number
  failed_legs: number
}

/** Good-till-triggered orders; members that do not apply are empty. */
export interface GttEvent extends OrderEventBase {
  strategy: string
  symbol: string
  exchange: string
  trigger_type: string
  trigger_id: string
  trigger_prices: readonly number[]
}

export interface GttTriggered extends GttEvent {
  triggered_order_id: string
}

export interface GttFailed extends OrderEventBase {
  symbol?: string
  exchange?: string
  trigger_id?: string
  error_message: string
}

export interface AnalyzerError extends OrderEventBase {
  error_message: string
}

/** A change of an order, from a broker's push or from the sandbox (contract, market stream section 7). */
export interface OrderUpdate {
  mode: EventMode
  user_id?: string
  broker: string
  orderid: string
  symbol: string
  exchange: string
  action: string
  quantity: number
  price: number
  trigger_price: number
  pricetype: string
  product: string
  order_status: string
  filled_quantity: number
  pending_quantity: number
  average_price: number
  rejection_reason: string
}

/** A live order whose outcome the broker did not confirm, and later how that was settled. */
export interface OrderInDoubt {
  user_id?: string
  /** Our own reference of the order, which the broker carries as its tag. */
  reference: string
  state: 'unknown' | 'settled'
  /** What reconciliation found; absent while unknown. */
  outcome?: 'accepted' | 'rejected' | 'not_sent'
  orderid?: string
  broker: string
  symbol: string
  exchange: string
  action: string
  quantity: number
  message: string
}

export interface SandboxOrderFilled {
  user_id?: string
  orderid: string
  tradeid: string
  symbol: string
  exchange: string
  action: string
  quantity: number
  price: number
  product: string
  strategy: string
}

export interface SandboxAutoSquareoff {
  user_id?: string
  cancelled_orders: number
  closed_positions: number
}

export interface SandboxT1Settlement {
  user_id?: string
  settled_users: number
  settled_positions: number
}

export interface PendingOrderCreated {
  user_id: string
  pending_order_id: number
  api_type: string
  message: string
}

/** A decision on one queued order (`order_id`), or on all of them at once (`count`). */
export type PendingOrderUpdated =
  | { user_id: string; action: 'approved' | 'rejected' | 'deleted' | 'expired'; order_id: number }
  | { user_id: string; action: 'batch_approved'; count: number }

export interface KillSwitch {
  user_id?: string
  engaged: boolean
  by: string
  reason: string
}

export interface AppModeChanged {
  user_id?: string
  analyze_mode: boolean
}

/** A user's sessions after one began or ended, the last seen first. */
export interface ActiveSessionsUpdate {
  user_id: string
  count: number
  sessions: readonly {
    session_id: string
    device_info: string | null
    ip_address: string | null
    broker: string | null
    login_time: string
    last_seen: string
  }[]
}

export interface MasterContractDownload {
  broker: string
  status: 'success' | 'error'
  message: string
}

/** A run of a workflow has begun or ended. */
export interface FlowExecution {
  user_id?: string
  workflow_id: number
  workflow_name: string
  execution_id: number
  trigger: string
  status: string
  error: string | null
}

export interface EventTopics {
  'order.placed': OrderPlaced
  'order.failed': OrderFailed
  'order.no_action': OrderNoAction
  'order.modified': OrderModified
  'order.modify_failed': OrderModifyFailed
  'order.cancelled': OrderCancelled
  'order.cancel_failed': OrderCancelFailed
  'orders.all_cancelled': OrdersAllCancelled
  'position.closed': PositionClosed
  'basket.completed': BasketCompleted
  'split.completed': SplitCompleted
  'options.completed': OptionsCompleted
  'multiorder.completed': MultiOrderCompleted
  'gtt.placed': GttEvent
  'gtt.modified': GttEvent
  'gtt.cancelled': GttEvent
  'gtt.triggered': GttTriggered
  'gtt.expired': GttEvent
  'gtt.failed': GttFailed
  'gtt.modify_failed': GttFailed
  'gtt.cancel_failed': GttFailed
  'order.update': OrderUpdate
  'order.in_doubt': OrderInDoubt
  'analyzer.error': AnalyzerError
  'sandbox.order_filled': SandboxOrderFilled
  'sandbox.auto_squareoff': SandboxAutoSquareoff
  'sandbox.t1_settlement': SandboxT1Settlement
  pending_order_created: PendingOrderCreated
  pending_order_updated: PendingOrderUpdated
  kill_switch: KillSwitch
  app_mode_changed: AppModeChanged
  active_sessions_update: ActiveSessionsUpdate
  master_contract_download: MasterContractDownload
  flow_execution: FlowExecution
}

export type Topic = keyof EventTopics
