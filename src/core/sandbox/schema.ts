import type { ErrorCode } from '../errors/index.js'
import type { Exchange, Instrument } from '../instruments/schema.js'
import type { Quote, SymbolRef } from '../market/schema.js'
import type { Money } from '../money/index.js'
import type { Action, OrderStatus, PriceType, Product } from '../orders/schema.js'

/** What the sandbox needs of the market: a quote to accept an order on, and the ticks that fill it. */
export interface SandboxMarket {
  quote(ref: SymbolRef): Promise<Quote | undefined>
  /** Whether it trades around the clock, so that intraday hours mean nothing. */
  alwaysOpen?(): boolean
  /** Calls `listener` on every change of the symbol's quote until the returned function is called. */
  watch(ref: SymbolRef, listener: (quote: Quote) => void): () => void
}

/** What the sandbox needs of the instrument master. */
export interface SandboxInstruments {
  find(symbol: string, exchange: string): Instrument | undefined
}

/** What the sandbox needs of the market calendar. Dates are `YYYY-MM-DD` in IST, instants epoch milliseconds. */
export interface SandboxCalendar {
  /** The hours of an exchange on a date; undefined when it does not trade. */
  sessionOf(exchange: string, date: string): { open: number; close: number } | undefined
  /** Whether shares and money change hands on a date. */
  isSettlementDay(date: string): boolean
}

/** An order of the simulated account. `createdAt` and `updatedAt` are epoch milliseconds. */
export interface SandboxOrder {
  readonly orderId: string
  readonly userId: string
  readonly strategy: string
  readonly symbol: string
  readonly exchange: Exchange
  readonly action: Action
  quantity: number
  /** Limit price; for a MARKET order the last price it was accepted at. */
  price: Money
  triggerPrice: Money
  readonly priceType: PriceType
  readonly product: Product
  /** An SL order that is `open` has been triggered and stays a limit order. */
  status: OrderStatus
  averagePrice: Money
  filledQuantity: number
  rejectionReason: string
  /** Margin held for this order while it waits. */
  margin: Money
  /** Units that margin was taken for. */
  marginQuantity: number
  /** The leg of the GTT that sent it. */
  readonly gttLegId: string | null
  readonly createdAt: number
  updatedAt: number
}

export interface SandboxTrade {
  readonly tradeId: string
  readonly orderId: string
  readonly userId: string
  readonly symbol: string
  readonly exchange: Exchange
  readonly action: Action
  readonly quantity: number
  readonly price: Money
  readonly product: Product
  readonly strategy: string
  readonly tradedAt: number
}

/** Profit booked in one trading session; worth nothing once another session has begun. */
export interface TodayRealized {
  todayRealized: Money
  todaySession: string
}

export interface SandboxPosition extends TodayRealized {
  readonly userId: string
  readonly symbol: string
  readonly exchange: Exchange
  readonly product: Product
  /** Signed: negative is short. */
  quantity: number
  /** Exact sum of price x quantity of what is open, never negative. */
  cost: Money
  margin: Money
  /** All profit ever booked on this row. */
  realized: Money
  /** The last session with a trade. */
  openingSession: string
  /** What was open when that session started; signed. */
  openingQuantity: number
  /** The cost of it. */
  openingCost: Money
  /** Multiplier of crypto contracts; 1 elsewhere. */
  contractValue: number
  ltp: Money
  readonly createdAt: number
  openedAt: number
  updatedAt: number
}

export interface SandboxHolding {
  readonly userId: string
  readonly symbol: string
  readonly exchange: Exchange
  quantity: number
  cost: Money
  ltp: Money
  settledAt: number
}

export interface SandboxFunds extends TodayRealized {
  readonly userId: string
  capital: Money
  available: Money
  used: Money
  realized: Money
  lastResetAt: number
  resetCount: number
}

/** The account of one user at the end of a day. */
export interface SandboxDailyPnl {
  readonly userId: string
  /** `YYYY-MM-DD`, in IST. */
  readonly date: string
  readonly realized: Money
  readonly positionsUnrealized: Money
  readonly holdingsUnrealized: Money
  readonly totalMtm: Money
  readonly available: Money
  readonly used: Money
  readonly portfolioValue: Money
}

/** A due moment of a job that has been dealt with. */
export interface SandboxJobMark {
  readonly job: string
  /** The IST date (with the hour for hourly jobs) the moment belongs to. */
  readonly slot: string
  readonly dueAt: number
  readonly ranAt: number
}

export type GttStatus = 'active' | 'triggered' | 'cancelled' | 'expired' | 'rejected'
export type GttLegStatus = 'pending' | 'triggering' | 'triggered' | 'cancelled'

/** One order a GTT may send; it fires when the last price comes to its trigger from the other side. */
export interface SandboxGttLeg {
  readonly legNumber: number
  readonly direction: 'below' | 'above'
  readonly action: Action
  readonly product: Product
  triggerPrice: Money
  quantity: number
  /** Limit price; 0 for a market order. */
  price: Money
  priceType: 'LIMIT' | 'MARKET'
  status: GttLegStatus
  triggeredOrderId: string | null
  margin: Money
  /** When it was last about to fire. */
  claimedAt: number | null
}

/** A good-till-triggered order of the simulated account. */
export interface SandboxGtt {
  readonly gttId: string
  readonly userId: string
  readonly triggerType: 'single' | 'two-leg'
  status: GttStatus
  readonly symbol: string
  readonly exchange: Exchange
  /** Last price when it was placed or changed. */
  lastPrice: Money
  strategy: string
  /** Margin held until it fires or ends: of the dearer leg, or of both. */
  margin: Money
  readonly legs: SandboxGttLeg[]
  readonly createdAt: number
  updatedAt: number
  expiresAt: number
}

/** A good-till-triggered order as it is asked for. Prices in rupees. */
export interface GttRequest {
  strategy: string
  type: 'SINGLE' | 'OCO'
  symbol: string
  exchange: Exchange
  action: Action
  quantity: number
  product: Product
  priceType: 'LIMIT' | 'MARKET'
  /** `stop` fires at or below its trigger, `target` at or above. `price` is 0 for a market order. */
  legs: readonly { kind: 'stop' | 'target'; triggerPrice: number; price: number }[]
  /** ISO 8601 or `YYYY-MM-DD[ HH:MM:SS]` (IST); without one, or with one that cannot be read, a year. */
  expiresAt: string | undefined
}

export type GttOutcome = { ok: true; triggerId: string } | SandboxRefusal

/** A row of the GTT order book (contract, api-orders section 8.4). */
export interface GttView {
  trigger_id: string
  trigger_type: 'single' | 'two-leg'
  status: GttStatus
  symbol: string
  exchange: string
  trigger_prices: number[]
  last_price: number
  legs: { action: Action; quantity: number; price: number; pricetype: string; product: Product }[]
  /** ISO 8601, as the other two. */
  created_at: string
  updated_at: string
  expires_at: string
  strategy: string
  margin_blocked: number
}

/** What the events about a GTT tell. */
export interface GttChange {
  strategy: string
  symbol: string
  exchange: string
  trigger_type: 'single' | 'two-leg'
  trigger_id: string
  trigger_prices: number[]
}

/** The payload of `order.update`, as the event streams carry it. Amounts in rupees. */
export interface OrderUpdate {
  mode: 'analyze'
  user_id: string
  orderid: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  price: number
  trigger_price: number
  pricetype: PriceType
  product: Product
  order_status: OrderStatus
  filled_quantity: number
  pending_quantity: number
  average_price: number
  rejection_reason: string
  broker: 'sandbox'
}

export interface OrderFilled {
  user_id: string
  tradeid: string
  orderid: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  price: number
  product: Product
  strategy: string
}

/** Published once the change it tells of is durable, in the order of the changes. */
export type SandboxEvent =
  | { topic: 'order.update'; data: OrderUpdate }
  | { topic: 'sandbox.order_filled'; data: OrderFilled }
  | {
      topic: 'sandbox.auto_squareoff'
      userId: string
      data: { cancelled_orders: number; closed_positions: number }
    }
  | {
      topic: 'sandbox.t1_settlement'
      /** It tells of all accounts at once. */
      userId: undefined
      data: { settled_users: number; settled_positions: number }
    }
  | { topic: 'gtt.triggered'; userId: string; data: GttChange & { triggered_order_id: string } }
  | { topic: 'gtt.expired'; userId: string; data: GttChange }
  | { topic: 'gtt.failed'; userId: string; data: GttChange & { error_message: string } }

/** Why something was not done. `orderId` names the row of an order that was stored as rejected. */
export interface SandboxRefusal {
  ok: false
  httpStatus: number
  message: string
  /** Of a {@link Veto}; what the rules of the sandbox refuse has none. */
  code?: ErrorCode
  orderId?: string
}

/**
 * Asked in the moment of a decision, when nothing can come between any more: why the order must not be taken, if
 * it must not.
 */
export type Veto = () => { code: ErrorCode; message: string } | undefined

export type PlaceOutcome = { ok: true; orderId: string } | SandboxRefusal

/** The answer to a dry run. Amounts in rupees. */
export type PreviewOutcome =
  | {
      ok: true
      margin: number
      available: number
      /** Status the order would have. */
      status: OrderStatus
      /** Price it would fill at now; undefined when it would wait. */
      fillPrice: number | undefined
    }
  | SandboxRefusal

export type ChangeOutcome = { ok: true; orderId: string; message: string } | SandboxRefusal

/** New values for a waiting order; 0 keeps a price. */
export interface OrderChanges {
  quantity: number
  price: number
  triggerPrice: number
}

/** What names a position of an account. */
export interface PositionRef {
  symbol: string
  exchange: string
  product: Product
}

/** Narrows a bulk close; an absent member matches everything. */
export interface PositionFilter {
  symbol?: string | undefined
  exchange?: string | undefined
  product?: Product | undefined
}

export interface CancelAllOutcome {
  message: string
  cancelled: string[]
  failed: { orderid: string; message: string }[]
}

/** Counts positions whose closing order was placed, and names those where it was refused, with the reason. */
export interface CloseAllOutcome {
  message: string
  closed: number
  failures: (PositionRef & { message: string })[]
}
