import type { ErrorCode } from '../errors/index.js'
import type { OrderUpdate } from '../events/index.js'
import type { Exchange, InstrumentDirectory } from '../instruments/schema.js'
import type { PriceBand, Quote, QuoteNeeds, SymbolRef } from '../market/schema.js'
import type { Money } from '../money/index.js'
import type {
  Action,
  GttPriceType,
  GttRequest as OrderGttRequest,
  OrderStatus,
  PositionRef,
  PriceType,
  Product,
} from '../orders/schema.js'

/** The sandbox's port to the market: quotes for accepting orders, and the ticks that fill them. */
export interface SandboxMarket {
  quote(ref: SymbolRef, needs?: QuoteNeeds): Promise<Quote | undefined>
  /** Returns the quote that {@link quote} would give, if it is in memory. */
  fresh?(ref: SymbolRef, needs?: QuoteNeeds): Quote | undefined
  /** Returns the day's price band as far as it is known. */
  priceBand?(ref: SymbolRef): PriceBand | undefined
  /** Returns true when the market trades around the clock, so that intraday hours do not apply. */
  alwaysOpen?(): boolean
  /** Calls `listener` on every change of the symbol's quote until the returned function is called. */
  watch(ref: SymbolRef, listener: (quote: Quote) => void): () => void
}

/** The prices that the profit of a day is counted from; each may be unknown. */
export interface DayMark {
  ltp: Money | undefined
  prevClose: Money | undefined
}

/** The sandbox's port to the instrument master. */
export type SandboxInstruments = Pick<InstrumentDirectory, 'find' | 'freezeQuantity'>

/** The sandbox's port to the market calendar. Dates are `YYYY-MM-DD` in IST, instants epoch milliseconds. */
export interface SandboxCalendar {
  /** Returns the hours of an exchange on a date; undefined when it does not trade. */
  sessionOf(exchange: string, date: string): { open: number; close: number } | undefined
  /** Returns true when shares and money settle on a date. */
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
  /** The limit price; for a MARKET order the last price at its acceptance. */
  price: Money
  triggerPrice: Money
  readonly priceType: PriceType
  readonly product: Product
  /** An SL order that is `open` has been triggered and remains a limit order. */
  status: OrderStatus
  averagePrice: Money
  filledQuantity: number
  rejectionReason: string
  /** The margin the order blocks while it waits. */
  margin: Money
  /** The units the margin was calculated for. */
  marginQuantity: number
  /** The GTT leg that sent the order. */
  readonly gttLegId: string | null
  /** True if a run of a strategy sent it. */
  readonly ofRun: boolean
  /** Null for an order of the day. */
  readonly validity: 'IOC' | 'TTL' | null
  /** When a TTL order ends. */
  readonly expiresAt: number | null
  /** The opening that an AMO waits for; null once the market has opened. */
  opensAt: number | null
  readonly icebergLegs: number | null
  /** How far from its reference a MARKET or SL-M order may trade, in percent; -1 for any price. */
  readonly marketProtection: number | null
  readonly algoId: string | null
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

/** Profit booked in one trading session; it counts as 0 once another session has begun. */
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
  /** The exact sum of price x quantity of the open part, never negative. */
  cost: Money
  margin: Money
  /** All profit ever booked on this row. */
  realized: Money
  /** The last session with a trade. */
  openingSession: string
  /** The signed quantity that was open when that session started. */
  openingQuantity: number
  /** The cost of that quantity. */
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

/** A due moment of a job that is done. */
export interface SandboxJobMark {
  readonly job: string
  /** The IST date of the moment, with the hour for hourly jobs. */
  readonly slot: string
  readonly dueAt: number
  readonly ranAt: number
}

export type GttStatus = 'active' | 'triggered' | 'cancelled' | 'expired' | 'rejected'
export type GttLegStatus = 'pending' | 'triggering' | 'triggered' | 'cancelled'

/** One order a GTT may send. It fires when the last price reaches its trigger from the other side. */
export interface SandboxGttLeg {
  readonly legNumber: number
  readonly direction: 'below' | 'above'
  readonly action: Action
  readonly product: Product
  triggerPrice: Money
  quantity: number
  /** Limit price; 0 for a market order. */
  price: Money
  priceType: GttPriceType
  status: GttLegStatus
  triggeredOrderId: string | null
  margin: Money
  /** The last time the leg was about to fire. */
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
  /** The last price when the GTT was placed or changed. */
  lastPrice: Money
  strategy: string
  /** The margin blocked until the GTT fires or ends: of the more expensive leg, or of both. */
  margin: Money
  readonly legs: SandboxGttLeg[]
  readonly createdAt: number
  updatedAt: number
  expiresAt: number
}

/** A request for a good-till-triggered order, before the sandbox has checked its product. */
export type GttRequest = Omit<OrderGttRequest, 'product'> & { product: Product }

export type GttOutcome = { ok: true; triggerId: string } | SandboxRefusal

/** A row of the GTT order book, as the API returns it (docs/api.md). */
export interface GttView {
  trigger_id: string
  trigger_type: 'single' | 'two-leg'
  status: GttStatus
  symbol: string
  exchange: string
  trigger_prices: number[]
  last_price: number
  legs: { action: Action; quantity: number; price: number; pricetype: string; product: Product }[]
  /** ISO 8601, like the other two. */
  created_at: string
  updated_at: string
  expires_at: string
  strategy: string
  margin_blocked: number
}

/** The fields of the GTT events. */
export interface GttChange {
  strategy: string
  symbol: string
  exchange: string
  trigger_type: 'single' | 'two-leg'
  trigger_id: string
  trigger_prices: number[]
}

/** The payload of `order.update`. An order of the sandbox always has a user. */
export type SandboxOrderUpdate = OrderUpdate & { user_id: string }

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

/** An event. The sandbox publishes it once its change is durable, in the order of the changes. */
export type SandboxEvent =
  | { topic: 'order.update'; data: SandboxOrderUpdate }
  | { topic: 'sandbox.order_filled'; data: OrderFilled }
  | {
      topic: 'sandbox.auto_squareoff'
      userId: string
      data: { cancelled_orders: number; closed_positions: number }
    }
  | {
      topic: 'sandbox.t1_settlement'
      /** The event concerns all accounts. */
      userId: undefined
      data: { settled_users: number; settled_positions: number }
    }
  | { topic: 'gtt.triggered'; userId: string; data: GttChange & { triggered_order_id: string } }
  | { topic: 'gtt.expired'; userId: string; data: GttChange }
  | { topic: 'gtt.failed'; userId: string; data: GttChange & { error_message: string } }

/** The reason an operation was refused. `orderId` names the row of an order that was stored as rejected. */
export interface SandboxRefusal {
  ok: false
  /** `refused` for the sandbox's own rules, or the code of a veto. */
  code: ErrorCode
  message: string
  orderId?: string
}

export type PlaceOutcome = { ok: true; orderId: string } | SandboxRefusal

/** The answer to a dry run. Amounts in rupees. */
export type PreviewOutcome =
  | {
      ok: true
      margin: number
      available: number
      /** The status the order would have. */
      status: OrderStatus
      /** The price it would fill at now; undefined when it would wait. */
      fillPrice: number | undefined
    }
  | SandboxRefusal

export type ChangeOutcome = { ok: true; orderId: string; message: string } | SandboxRefusal

/** New values for a waiting order; 0 keeps a price. */
export interface OrderChanges {
  /** The price type that the order should have: its own. */
  priceType?: PriceType
  quantity: number
  price: number
  triggerPrice: number
}

export interface CancelAllOutcome {
  message: string
  cancelled: string[]
  failed: { orderid: string; message: string }[]
}

/** The orders that close a position: several if it is larger than the exchange takes in one, none if it is flat. */
export interface PositionClose {
  ref: PositionRef
  pieces: { quantity: number; outcome: PlaceOutcome }[]
}

/** The signed quantity of a position that a close sends, and the reason where waiting orders close all of it already. */
export interface OpenPart {
  quantity: number
  problem?: string
}
