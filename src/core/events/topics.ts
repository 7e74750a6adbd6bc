/**
 * The events of the internal event bus, by topic. Payloads use the public field names, because subscribers
 * log and relay them. Subscribers share a payload and must not change it.
 */

export type EventMode = 'live' | 'analyze'

/** Members of every order event. */
export interface OrderEventBase {
  mode: EventMode
  /** The API operation that caused it: `placeorder`, `placesmartorder`, … */
  api_type: string
  /** The request without its credential. */
  request_data: Readonly<Record<string, unknown>>
  response_data: Readonly<Record<string, unknown>>
  /** The user whose account it is. Clients of other users do not receive it. */
  user_id?: string
  /** Only for routing alerts inside the process; it never reaches a client, a log or a row. */
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

/** One closed position, with its symbol, or all positions. */
export interface PositionClosed extends OrderEventBase {
  symbol: string
  exchange: string
  product: string
  orderid: string
  message: string
}

/** A request of several orders is one event, with the result of each order. */
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

/** Good-till-triggered orders; fields that do not apply are empty. */
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

/** A change of an order, reported by the broker or by the sandbox (docs/websocket.md). */
export interface OrderUpdate extends OrderRow {
  mode: EventMode
  user_id?: string
  broker: string
}

/** The members of an order in the events and in the order book. Prices in rupees, quantities in units. */
export interface OrderRow {
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

/** A live order with an outcome that the broker did not confirm, and later how it was settled. */
export interface OrderInDoubt {
  user_id?: string
  /** Our own reference of the order, sent to the broker as the order's tag. */
  reference: string
  state: 'unknown' | 'settled'
  /** The result of reconciliation; absent while the state is `unknown`. */
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

/** A user's sessions after one started or ended, most recently seen first. */
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

/** The state of the session at the active broker changed. */
export interface BrokerSessionChanged {
  broker: string
  /**
   * `expires_soon`: its last half hour. `ip_not_allowed`: the broker refuses orders from this address, and reads go on.
   * `expired` and `refused`: it ended by itself.
   */
  state: 'signed_in' | 'expires_soon' | 'ip_not_allowed' | 'expired' | 'refused' | 'signed_out'
  /** What ended it, or is wrong with it; null while signed in and after a sign-out. */
  reason: string | null
  since: string | null
  until: string | null
  /** What a person must do now; null for `signed_in`. */
  next_step: string | null
  /** The positions of strategy runs that nothing protects until the next session begins, or until the broker takes orders from here, in words. */
  unprotected: readonly string[]
}

/**
 * The account at the broker changed in a way that the journal does not explain: orders that are not ours, and positions by the
 * signed quantity of the change. Delivered shares have no exchange.
 */
export interface BrokerDriftFound {
  broker: string
  compared_at: string
  orders: readonly {
    orderid: string
    symbol: string
    exchange: string
    action: string
    quantity: number
    product: string
    status: string
  }[]
  positions: readonly { symbol: string; exchange: string | null; product: string; quantity: number }[]
  message: string
}

/** A backup was not made. */
export interface BackupFailed {
  origin: 'manual' | 'scheduled'
  message: string
  /** When the first backup failed since the last one that succeeded: the same for all failures in a row. */
  since: string
}

/** A workflow run started or ended. */
export interface FlowExecution {
  user_id?: string
  workflow_id: number
  workflow_name: string
  execution_id: number
  trigger: string
  status: string
  error: string | null
}

/** An event of a strategy was stored. */
export interface StrategyEvent {
  user_id: string
  strategy_id: number
  run_id: number | null
  /** ISO 8601, UTC. */
  ts: string
  kind: string
  severity: string
  leg_id: number | null
  message: string
  payload: Readonly<Record<string, unknown>> | null
}

/** The row of an order of a strategy changed. */
export interface StrategyOrderUpdate {
  user_id: string
  strategy_id: number
  run_id: number
  order_ref: string
  order_id: string | null
  status: string
  filled_qty: number
  avg_fill_price: number | null
  reason: string | null
}

/** A run of a strategy began, placed orders, was asked to stop or ended. Amounts are rupees. */
export interface StrategyRunUpdate {
  user_id: string
  strategy_id: number
  run_id: number
  state: string
  stop_reason: string | null
  mtm_realized: number
  mtm_unrealized: number
  mtm_total: number
  peak: number
  trough: number
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
  backup_failed: BackupFailed
  broker_session: BrokerSessionChanged
  broker_drift: BrokerDriftFound
  flow_execution: FlowExecution
  strategy_event: StrategyEvent
  strategy_order_update: StrategyOrderUpdate
  strategy_run_update: StrategyRunUpdate
}

export type Topic = keyof EventTopics
