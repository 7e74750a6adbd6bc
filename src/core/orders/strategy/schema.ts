import type { TradingMode } from '../../trading/index.js'
import type { OrderEnd } from '../end.js'
import type { Action, Product } from '../schema.js'

/** A MARKET order of a strategy. Its reference is stored with the strategy before it is placed. */
export interface StrategyOrder {
  orderRef: string
  userId: string
  /** The name of the strategy. */
  strategy: string
  /** The mode of the strategy's run. The mode of the service does not matter for it. */
  mode: TradingMode
  /** The broker at which the run began. Another one has none of its positions. */
  broker: string
  /** The account at the broker at which the run began. Another one has none of its positions. Absent if it has no name. */
  accountId?: string | undefined
  /**
   * `entry` opens a position: the risk gate, the kill switch and the approval queue apply. `exit` closes one:
   * it always goes to the broker of its run, or to the sandbox.
   */
  role: 'entry' | 'exit'
  symbol: string
  exchange: string
  action: Action
  quantity: number
  product: Product
  /** True for an entry that waits for approval whatever the order mode is: an order that waits comes before it. */
  mustWait?: boolean
}

/** The strategy whose orders are looked up, with the account that got them. */
export interface SentBy extends Pick<StrategyOrder, 'userId' | 'strategy' | 'mode' | 'broker'> {
  /** Only orders from this moment on. */
  since: number
}

/** An order that a strategy sent, as the journal or the sandbox has it. */
export type SentOrder = Pick<
  StrategyOrder,
  'orderRef' | 'symbol' | 'exchange' | 'action' | 'quantity' | 'product'
>

/** The outcome of placing an order. `queued`: it waits for approval. */
export type StrategyOrderEnd = OrderEnd | { outcome: 'queued'; orderRef: string; pendingOrderId: number }

/**
 * `unsent`: it certainly never left. `queued`: it waits for approval. `sending`: it waits for its turn, or for
 * the answer. `in_doubt`: the broker may have it. `lapsed`: the broker had it in an earlier session and no longer
 * lists it, so nobody knows how it ended. The other names are those of an order book.
 */
export type StrategyOrderStatus =
  | 'unsent'
  | 'queued'
  | 'sending'
  | 'in_doubt'
  | 'lapsed'
  | 'open'
  | 'complete'
  | 'cancelled'
  | 'rejected'

/** The durable state of a strategy's order. */
export interface StrategyOrderState {
  orderRef: string
  status: StrategyOrderStatus
  /** The id that the broker or the sandbox gave it. */
  orderId: string | null
  /** Everything that has filled until now. */
  filledQuantity: number
  /** In rupees; null until a price is known. */
  averagePrice: number | null
  /** The reason of a rejection. */
  reason: string | null
  /** The request in the approval queue. */
  pendingOrderId?: number
}
