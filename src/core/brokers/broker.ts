import { type ErrorCode, PublicError } from '../errors/index.js'
import type { DumpParser, Instrument, InstrumentDirectory } from '../instruments/schema.js'
import type { Logger } from '../logging/index.js'
import type { Candle, Depth, Quote, StreamMode, SymbolRef, Tick } from '../market/schema.js'
import type { Action, GttRequest, OrderRequest, OrderStatus, PriceType, Product } from '../orders/schema.js'
import type { Clock } from '../time/index.js'

/**
 * The contract of a broker plugin. A plugin is plain data in, plain data out; it reads no environment, no
 * database and no clock of its own (everything comes through {@link BrokerContext}) and throws only
 * {@link BrokerError}. Mappings of fields, products, price types, statuses and symbols live in the plugin.
 */
export interface BrokerPlugin {
  readonly manifest: BrokerManifest
  readonly auth: BrokerAuth
  readonly instruments: BrokerInstruments
  connect(session: BrokerSession, context: BrokerContext): BrokerClient
}

export interface BrokerManifest {
  id: string
  displayName: string
  kind: 'in_stock' | 'crypto'
  exchanges: readonly string[]
  products: readonly Product[]
  priceTypes: readonly PriceType[]
  /** Fields of the log-in form. `secret` ones are read without echo and stored encrypted. */
  credentialFields: readonly { name: string; label: string; secret: boolean; required: boolean }[]
  /**
   * What a search for an order by our tag proves when it finds nothing. `authoritative`: the order never
   * arrived. `book`: only that the book does not show it (yet), so the order stays in doubt for a person.
   */
  tagLookup: 'authoritative' | 'book'
  quotes: { maxBatch: number }
  streaming: { modes: readonly StreamMode[]; depthLevels: readonly number[] } | undefined
  orderUpdates: 'push' | 'poll' | 'none'
  /** Calls per window by class of call; the core owns the token buckets. */
  rateLimits: Readonly<Record<string, readonly { count: number; perMs: number }[]>>
  fractionalQuantity: boolean
}

/** What a plugin may use of the world. */
export interface BrokerContext {
  clock: Clock
  /** Base URLs by name: the manifest's defaults, or a test's fake server. */
  endpoints: Readonly<Record<string, string>>
  instruments: InstrumentDirectory
  log: Logger
  /** A private directory of this plugin inside the home, for state it must keep (the simulated exchange's book). */
  stateDir: string
}

/** A signed-in broker account. Kept encrypted; never logged. */
export interface BrokerSession {
  accessToken: string
  feedToken?: string
  userId?: string
  /** Epoch milliseconds. */
  issuedAt: number
  expiresAt?: number
}

export interface BrokerAuth {
  /** Turns the fields of the log-in form into a session, proving it with one cheap authenticated read. */
  login(fields: Readonly<Record<string, string>>, context: BrokerContext): Promise<BrokerSession>
  logout?(session: BrokerSession, context: BrokerContext): Promise<void>
}

export interface BrokerInstruments {
  /** The broker's whole master, normalised. */
  download(session: BrokerSession | undefined, context: BrokerContext): AsyncIterable<Instrument[]>
  /** The broker's own file format, for dumps that a user imports. */
  dump?: { format: string; parse: DumpParser }
}

export interface BrokerClient {
  orders: BrokerOrders
  portfolio: BrokerPortfolio
  market: BrokerMarket
  /** Absent where the broker keeps no good-till-triggered orders, or the plugin does not know them. */
  gtts?: BrokerGtts
  /** Absent where the plugin cannot ask for margins. */
  margins?: BrokerMargins
  ticks?: TickFeed
  orderEvents?: OrderFeed
  /** Releases sockets, timers and files. */
  close(): Promise<void>
}

export interface BrokerOrders {
  /**
   * Sends one order. Resolves only with the broker's id of an accepted order; never retries once bytes may
   * have left. `tag` is our reference (at most 20 characters, A-Z a-z 0-9) for {@link findByTag}.
   * @throws BrokerError with `sent` telling whether the order may have reached the broker
   */
  place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw?: unknown }>
  modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }>
  cancel(orderId: string): Promise<{ orderId: string }>
  list(): Promise<BrokerOrder[]>
  trades(): Promise<BrokerTrade[]>
  /** The order that carries our tag, if the broker has it. The instrument of reconciliation. */
  findByTag(tag: string): Promise<BrokerOrder | undefined>
}

export interface BrokerOrder {
  orderId: string
  tag?: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  price: number
  triggerPrice: number
  priceType: PriceType
  product: Product
  status: OrderStatus
  filledQuantity: number
  pendingQuantity: number
  averagePrice: number
  rejectionReason: string
  /** Epoch milliseconds. */
  timestamp: number
}

export interface BrokerTrade {
  tradeId: string
  orderId: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  price: number
  product: Product
  timestamp: number
}

export interface BrokerPosition {
  symbol: string
  exchange: string
  product: Product
  /** Signed net quantity. Flat rows are included. */
  quantity: number
  averagePrice: number
  ltp: number
  pnl: number
  realized: number
  unrealized: number
}

export interface BrokerHolding {
  symbol: string
  exchange: string
  quantity: number
  averagePrice: number
  ltp: number
  pnl: number
}

/** Decimals as text with two places, as live funds answer. */
export interface BrokerFunds {
  availableCash: string
  collateral: string
  unrealized: string
  realized: string
  utilized: string
}

export interface BrokerPortfolio {
  positions(): Promise<BrokerPosition[]>
  holdings(): Promise<BrokerHolding[]>
  funds(): Promise<BrokerFunds>
}

export interface BrokerMarket {
  /** One entry per symbol asked for, in order; a bad symbol does not fail the others. */
  quotes(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]>
  /** The quote with its order book; last traded quantity and totals where the broker tells them. */
  depth(
    ref: SymbolRef,
  ): Promise<
    Quote & { depth: Depth } & Partial<Pick<Tick, 'lastQuantity' | 'totalBuyQuantity' | 'totalSellQuantity'>>
  >
  /** Bars from `from` to `to` (IST dates, both included), ascending. `interval`: 1m 3m 5m 10m 15m 30m 1h D. */
  history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<Candle[]>
  intervals: readonly string[]
}

/** Good-till-triggered orders kept at the broker. A plugin whose broker takes only LIMIT protects MARKET itself. */
export interface BrokerGtts {
  /** As {@link BrokerOrders.place}: never retried once bytes may have left. `lastPrice` is that of now. */
  place(gtt: GttRequest, details: { tag: string; lastPrice: number }): Promise<{ triggerId: string }>
  /** Replaces everything; symbol, exchange, side and shape stay as they are. */
  modify(triggerId: string, gtt: GttRequest, details: { lastPrice: number }): Promise<{ triggerId: string }>
  cancel(triggerId: string): Promise<{ triggerId: string }>
  /** Those that may still fire. */
  list(): Promise<BrokerGtt[]>
  /** The one that carries our tag, whatever became of it. Absent where the broker keeps no tag: doubt stays then. */
  findByTag?(tag: string): Promise<BrokerGtt | undefined>
}

export interface BrokerGtt {
  triggerId: string
  type: 'single' | 'two-leg'
  status: 'active' | 'triggered' | 'cancelled' | 'expired' | 'rejected'
  symbol: string
  exchange: string
  triggerPrices: readonly number[]
  /** When it was placed or last changed. */
  lastPrice: number
  legs: readonly {
    action: Action
    quantity: number
    price: number
    priceType: 'LIMIT' | 'MARKET'
    product: Product
  }[]
  /** Epoch milliseconds; undefined where the broker does not tell. */
  createdAt: number | undefined
  updatedAt: number | undefined
  expiresAt: number | undefined
}

/** Rupees; null is a part the broker does not tell. */
export interface BrokerMargin {
  total: number
  span: number | null
  exposure: number | null
}

export interface BrokerMargins {
  /** Margin these orders would take together, if they were placed now. */
  estimate(orders: readonly OrderRequest[]): Promise<BrokerMargin>
}

/** A live price feed. The core counts subscribers and reconnects; the plugin speaks the wire. */
export interface TickFeed {
  open(onTick: (tick: Tick) => void): Promise<void>
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void
  unsubscribe(refs: readonly SymbolRef[]): void
}

/** Order updates pushed by the broker. */
export interface OrderFeed {
  open(onUpdate: (order: BrokerOrder) => void): Promise<void>
}

export type BrokerErrorKind =
  | 'auth'
  | 'permission'
  | 'rate_limit'
  | 'rejected'
  | 'validation'
  | 'not_found'
  | 'unsupported'
  | 'unavailable'
  | 'network'
  | 'protocol'

/** The only error a plugin throws. `sent` decides whether an order is refused or in doubt. */
export class BrokerError extends PublicError {
  readonly kind: BrokerErrorKind
  /** The broker's HTTP status, when it gave one. */
  readonly httpStatus: number | undefined
  readonly brokerCode: string | undefined
  /** Did the request possibly reach the broker: `never`, `maybe` (time-out, reset, 5xx), `yes` (it answered). */
  readonly sent: 'never' | 'maybe' | 'yes'
  readonly retryAfterMs: number | undefined

  constructor(
    kind: BrokerErrorKind,
    message: string,
    details: {
      httpStatus?: number | undefined
      brokerCode?: string | undefined
      sent: 'never' | 'maybe' | 'yes'
      retryAfterMs?: number | undefined
      cause?: unknown
    },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'BrokerError'
    this.kind = kind
    this.httpStatus = details.httpStatus
    this.brokerCode = details.brokerCode
    this.sent = details.sent
    this.retryAfterMs = details.retryAfterMs
  }
}

/** HTTP status for our client where the broker gave none, or a 2xx with a failing body. */
export const BROKER_ERROR_STATUS: Readonly<Record<BrokerErrorKind, number>> = {
  auth: 401,
  permission: 403,
  rate_limit: 429,
  rejected: 400,
  validation: 400,
  not_found: 404,
  unsupported: 501,
  unavailable: 503,
  network: 500,
  protocol: 502,
}

/** What each kind means to scripts. */
export const BROKER_ERROR_CODES: Readonly<Record<BrokerErrorKind, ErrorCode>> = {
  auth: 'forbidden',
  permission: 'forbidden',
  rate_limit: 'rate_limited',
  rejected: 'broker_rejected',
  validation: 'broker_rejected',
  not_found: 'not_found',
  unsupported: 'unsupported',
  unavailable: 'unavailable',
  network: 'unavailable',
  protocol: 'broker_protocol',
}
