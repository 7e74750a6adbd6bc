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

export type SandboxLog = (
  level: 'info' | 'warn' | 'error',
  event: string,
  fields?: Record<string, unknown>,
) => void

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

/** The payload of `order.update`, as the event streams carry it. Amounts in rupees. */
export interface OrderUpdate {
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
  | { topic: 'order.update'; userId: string; data: OrderUpdate }
  | { topic: 'sandbox.order_filled'; userId: string; data: OrderFilled }

/** Why something was not done. `orderId` names the row of an order that was stored as rejected. */
export interface Refusal {
  ok: false
  httpStatus: number
  message: string
  orderId?: string
}

export type PlaceOutcome = { ok: true; orderId: string } | Refusal

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
  | Refusal

export type ChangeOutcome = { ok: true; orderId: string; message: string } | Refusal

/** New values for a waiting order; 0 keeps a price. */
export interface OrderChanges {
  quantity: number
  price: number
  triggerPrice: number
}

/** Narrows a bulk close; an absent member matches everything. */
export interface PositionFilter {
  symbol?: string
  exchange?: string
  product?: Product
}

export interface CancelAllOutcome {
  message: string
  cancelled: string[]
  failed: { orderid: string; message: string }[]
}

export interface CloseAllOutcome {
  message: string
  closed: number
  failed: number
}
