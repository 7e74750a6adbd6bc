import type { OrderRow } from '../../events/index.js'
import type { Action, InstructionTerms, OrderStatus, PriceType, Product } from '../schema.js'

/* The books of an account in the shapes of the public API (docs/api.md, "Account"). */

/** A row of the order book, and the answer of order status. */
export interface OrderView extends OrderRow {
  action: Action
  pricetype: PriceType
  product: Product
  order_status: OrderStatus
  /** `YYYY-MM-DD HH:MM:SS` IST, like every timestamp here. */
  timestamp: string
  strategy: string
  /** Only brokers know it: the sandbox shows all of an order. */
  disclosed_quantity?: number | undefined
  /** What it asks of the broker; absent for a plain order of the day. */
  instructions?: InstructionTerms
}

export interface OrderBookView {
  orders: OrderView[]
  statistics: {
    total_buy_orders: number
    total_sell_orders: number
    total_completed_orders: number
    total_open_orders: number
    total_rejected_orders: number
    total_trigger_pending_orders: number
  }
}

export interface TradeView {
  tradeid: string
  orderid: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  average_price: number
  price: number
  trade_value: number
  product: Product
  strategy: string
  timestamp: string
}

export interface PositionView {
  symbol: string
  exchange: string
  product: Product
  quantity: number
  average_price: number
  ltp: number
  pnl: number
  pnlpercent: number
  unrealized_pnl: number
  today_realized_pnl: number
  total_pnl_today: number
  lot_size: number
}

export interface PositionBookView {
  positions: PositionView[]
  total_pnl: number
  total_unrealized_pnl: number
  total_today_realized_pnl: number
  total_pnl_today: number
}

export interface HoldingView {
  symbol: string
  exchange: string
  product: 'CNC'
  quantity: number
  average_price: number
  ltp: number
  pnl: number
  pnlpercent: number
  current_value: number
  settlement_date: string
}

export interface HoldingsView {
  holdings: HoldingView[]
  statistics: {
    totalholdingvalue: number
    totalinvvalue: number
    totalprofitandloss: number
    totalpnlpercentage: number
  }
}

export interface FundsView {
  availablecash: number
  collateral: number
  m2munrealized: number
  m2mrealized: number
  total_realized_pnl: number
  today_realized_pnl: number
  utiliseddebits: number
  grossexposure: number
  totalpnl: number
  last_reset: string
  reset_count: number
}
