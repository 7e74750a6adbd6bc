import type { DumpParser, Instrument } from '../instruments/schema.js'
import type { Candle, Depth, PriceBand, Quote, StreamMode, SymbolRef, Tick } from '../market/schema.js'
import type {
  Action,
  ForeignProduct,
  GttPriceType,
  GttProduct,
  GttRequest,
  OrderInstruction,
  OrderRequest,
  OrderStatus,
  PriceType,
  Product,
} from '../orders/schema.js'
import type { Database } from '../storage/index.js'
import type { BrokerAuth, BrokerSession, CredentialField } from './auth.js'
import type { BrokerContext } from './context.js'
import type { CallRank, RateLimits } from './kit/budget/limits.js'

export type { BrokerAuth, BrokerSession, CredentialField, SignInRequest } from './auth.js'
export { BrokerError, type BrokerErrorKind, brokerFailure, serviceErrorFor } from './broker-error.js'
export type { BrokerContext, CallingMachine } from './context.js'

/**
 * The contract of a broker plugin. A plugin exchanges plain data. It reads no environment, no database and no
 * clock of its own: everything it needs is in {@link BrokerContext}. It throws only {@link BrokerError}. The
 * plugin maps fields, products, price types, statuses and symbols.
 */
export interface BrokerPlugin {
  readonly manifest: BrokerManifest
  readonly auth: BrokerAuth
  readonly instruments: BrokerInstruments
  connect(session: BrokerSession, context: BrokerContext): BrokerClient
  /** Faults that a test can give the broker. Absent at every real broker. */
  readonly faults?: FaultInjection
}

/** The faults of a broker that runs in this process. */
export interface FaultInjection {
  /** Returns the rules that apply now. */
  rules(): readonly Readonly<Record<string, unknown>>[]
  /**
   * Replaces the rules for every connection; an empty list ends all faults.
   * @throws RangeError with the rule and its member, for one that cannot be used
   */
  set(rules: unknown): void
  /** Drops the price feeds or the order updates of all connections until they are opened again. */
  dropConnections(connection: 'feed' | 'orders'): void
}

export type { CallRank } from './kit/budget/limits.js'

/** The kinds of good-till-triggered orders that a broker takes. */
export interface GttAbilities {
  /** Two legs that exit a position, of which the first to fire cancels the other. */
  oco: boolean
  /** A limit price of our own for the order that it sends. */
  limit: boolean
  /** An order without a price of our own, whichever way the plugin protects it. */
  market: boolean
  /** The products of the order that it sends. */
  products: readonly GttProduct[]
  /** An end of our own choice (`expires_at`). */
  expiry: boolean
  /**
   * How the order of a GTT that fired is known. `named`: the GTT names it. `tagged`: it also has the tag of the GTT.
   * `unnamed`: the broker does not tell it. Brokers may name it a moment after the GTT has fired.
   */
  order: 'named' | 'tagged' | 'unnamed'
}

export interface BrokerManifest {
  id: string
  displayName: string
  kind: 'in_stock' | 'crypto'
  exchanges: readonly string[]
  products: readonly Product[]
  /** Products that orders can close and not open. A position in any other product of the broker is only shown. */
  closesProducts?: readonly ForeignProduct[]
  priceTypes: readonly PriceType[]
  /** The instructions of an order that the broker can follow. Others are refused with the broker's name, never dropped. */
  instructions: readonly OrderInstruction[]
  /** What the broker takes of a GTT. The service refuses the rest with the broker's name. Absent if it has no GTTs. */
  gtt?: GttAbilities
  /** Fields of the log-in form, in the order in which a terminal asks for them. */
  credentialFields: readonly CredentialField[]
  /** The base URL of the broker's API. Absent if the broker runs in this process. */
  apiUrl?: string
  /**
   * The conclusion when a search for an order by our tag finds nothing. `authoritative`: the order never
   * arrived. `book`: the order book does not show it (yet), so the order stays in doubt until readings after the
   * close, or a person, settle it. `none`: the broker keeps no tag of an order, which is then found by its content.
   */
  tagLookup: 'authoritative' | 'book' | 'none'
  quotes: { maxBatch: number }
  streaming: { modes: readonly StreamMode[]; depthLevels: readonly number[] } | undefined
  /** How order updates arrive: the broker pushes them, the plugin reads the book again and again, or not at all. */
  orderUpdates: 'push' | 'poll' | 'none'
  /** The broker's own call limits. The budgets keep calls within them. */
  rateLimits: RateLimits
  fractionalQuantity: boolean
  /** True if every market of the broker trades at all hours of all days. */
  alwaysOpen?: true
}

export interface BrokerInstruments {
  /** Downloads the broker's whole instrument master, normalised. */
  download(session: BrokerSession | undefined, context: BrokerContext): AsyncIterable<Instrument[]>
  /** True if the plugin makes its master itself. Then one of any size replaces the present one. */
  isGenerated?: true
  /** Parses the broker's own file format, for dumps that a user imports. */
  dump?: { format: string; parse: DumpParser }
}

export interface BrokerClient {
  orders: BrokerOrders
  portfolio: BrokerPortfolio
  market: BrokerMarket
  /** Absent if the broker has no good-till-triggered orders or the plugin does not support them. */
  gtts?: BrokerGtts
  /** Absent if the plugin cannot estimate margins. */
  margins?: BrokerMargins
  ticks?: TickFeed
  orderEvents?: OrderFeed
  /**
   * Resolves when the connection is ready for use. Absent if a connection is always ready immediately.
   * @throws BrokerError with the reason if it cannot be used
   */
  ready?(): Promise<void>
  /**
   * Returns the day's price band of a symbol as far as the client knows it, without a request: null if there is none or the
   * broker does not tell it, undefined if the next quote of the symbol tells it. Absent if the plugin knows no bands.
   */
  priceBand?(ref: SymbolRef): PriceBand | null | undefined
  /**
   * Returns the path of a file of the plugin that was removed or replaced while it was open. The service is then
   * not ready. Absent if the plugin has no files.
   */
  missingFile?(): string | undefined
  /** Returns the databases that the plugin has open, for a backup of all files at one moment. Absent if it has none. */
  databases?(): readonly Database[]
  /**
   * Proves that an order update was posted by the broker, and returns the id of its order. Only the order that the broker then
   * answers with ({@link BrokerOrders.order}) counts: proofs cover an id and a time, and can be sent again with other words.
   * Absent if the broker posts none.
   * @throws BrokerError `permission` without a valid proof
   */
  postback?(body: string): string
  /** Closes sockets, timers and files. */
  close(): Promise<void>
}

/** What {@link BrokerOrders.prepareChange} prepares. */
export type PreparedChange = 'modify' | 'cancel'

export interface BrokerOrders {
  /**
   * Sends one order. Resolves with the broker's id only if the broker accepted the order; never retries after
   * bytes may have been sent. `tag` is our reference for {@link findByTags}: 18 letters and digits, or the 20 of an
   * order that an earlier version claimed.
   * @throws BrokerError with `sent`, which says whether the order may have reached the broker
   */
  place(order: OrderRequest, tag: string): Promise<{ orderId: string; raw?: unknown }>
  /**
   * Reads from the broker what {@link place} needs to know of the order's contract, so that nothing happens between the last
   * check of the caller and the request. Absent if it needs nothing.
   * @throws BrokerError, never sent
   */
  preparePlace?(order: OrderRequest): Promise<void>
  /**
   * Reads from the broker what {@link modify} or {@link cancel} needs to know of an order, and no more: a cancel must not fail
   * for a read that only a modification needs. After it, that call sends its request at once, so that nothing happens between
   * the last check of the caller and the request. Absent if both need nothing.
   */
  prepareChange?(orderId: string, change: PreparedChange): Promise<void>
  modify(orderId: string, order: OrderRequest): Promise<{ orderId: string }>
  cancel(orderId: string): Promise<{ orderId: string }>
  /**
   * Returns every order of the session and every open order, each with its tag.
   * @param rank how urgent the reading is; `read` by default, as for everything that a client asks for
   */
  list(rank?: CallRank): Promise<BrokerOrder[]>
  trades(): Promise<BrokerTrade[]>
  /**
   * Returns the orders with our tags that the broker has, by tag, with one reading of its book for all of them. Of several
   * orders with one tag an accepted one counts. Reconciliation depends on it, so its reading is as urgent as an exit.
   */
  findByTags(tags: readonly string[]): Promise<ReadonlyMap<string, BrokerOrder>>
  /**
   * Returns one order, or undefined if the broker does not know it; as urgent as an exit. Absent if the broker can only list its
   * book.
   */
  order?(orderId: string): Promise<BrokerOrder | undefined>
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
  /** The broker's own product: one of ours, or one that nobody can open here (MTF, CO, BO). */
  product: string
  status: OrderStatus
  /** Why it fills or ends at this moment: it is being cancelled, or it is IOC. Absent for an order that may wait. */
  ending?: 'cancel' | 'IOC'
  filledQuantity: number
  pendingQuantity: number
  /** The units that the market sees; absent where it sees all. */
  disclosedQuantity?: number
  averagePrice: number
  rejectionReason: string
  /** When the order last changed. Epoch milliseconds. */
  timestamp: number
  /** When the broker took it, if that is not `timestamp`. A broker without tags needs it. */
  placedAt?: number
}

export interface BrokerTrade {
  tradeId: string
  orderId: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  price: number
  product: string
  timestamp: number
}

export interface BrokerPosition {
  symbol: string
  exchange: string
  product: string
  /** Signed net quantity. Closed positions with quantity 0 are included. */
  quantity: number
  /**
   * Why the contract cannot be traded: its size is not settled, so the quantity is the broker's own count. Absent where it is
   * settled.
   */
  unsettled?: string
  averagePrice: number
  ltp: number
  pnl: number
  realized: number
  unrealized: number
  /**
   * Profit of the current trading day: of an open quantity carried from an earlier day it counts from the
   * previous close, of everything else from its own price. `pnl` counts from the cost, whenever that was
   * paid. Of shares that the account held and has sold for delivery, it counts from the previous close to the sale.
   * Undefined while it needs a previous close that is unknown.
   */
  dayPnl: number | undefined
}

export interface BrokerHolding {
  symbol: string
  exchange: string
  /** CNC, or the broker's own: shares bought with margin funding (MTF) are no delivered shares. */
  product: string
  /** The shares of the account, with those that are not delivered yet. Brokers leave out what was sold today. */
  quantity: number
  /**
   * The shares at the beginning of the day, with those that were not delivered yet. A sale of today does not reduce it: it
   * is in the positions, as a negative quantity of product CNC.
   */
  openingQuantity: number
  averagePrice: number
  ltp: number
  pnl: number
}

/** Decimal amounts as text with two places, the format of the live funds response. */
export interface BrokerFunds {
  availableCash: string
  collateral: string
  unrealized: string
  realized: string
  utilized: string
}

export interface BrokerPortfolio {
  /**
   * Returns the positions of the day and carried ones.
   * @param rank as for {@link BrokerOrders.list}. Of an `exit` the quantities count: it waits for no quotes, so prices and profits
   * are those of the broker's rows
   */
  positions(rank?: CallRank): Promise<BrokerPosition[]>
  /** @param rank as for {@link positions} */
  holdings(rank?: CallRank): Promise<BrokerHolding[]>
  funds(): Promise<BrokerFunds>
}

export interface BrokerMarket {
  /** Returns one entry per symbol, in order; a bad symbol does not fail the others. */
  quotes(refs: readonly SymbolRef[]): Promise<readonly (Quote | { error: string })[]>
  /**
   * Returns the quote with its order book, and the last traded quantity and totals if the broker sends them.
   */
  depth(
    ref: SymbolRef,
  ): Promise<
    Quote & { depth: Depth } & Partial<Pick<Tick, 'lastQuantity' | 'totalBuyQuantity' | 'totalSellQuantity'>>
  >
  /**
   * Returns bars from `from` to `to` (IST dates, both inclusive), ascending. `interval`: 1m 3m 5m 10m 15m 30m
   * 1h D.
   */
  history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<readonly Candle[]>
  intervals: readonly string[]
}

/**
 * Good-till-triggered orders stored at the broker. If the broker accepts only LIMIT legs, the plugin adds the
 * price protection for MARKET.
 */
export interface BrokerGtts {
  /**
   * Like {@link BrokerOrders.place}: never retried after bytes may have been sent. `lastPrice` is the current
   * price. A broker whose triggers can expire ends the GTT at its expiry (`gttExpiry`).
   */
  place(gtt: GttRequest, details: { tag: string; lastPrice: number }): Promise<{ triggerId: string }>
  /**
   * Replaces the whole request; symbol, exchange, side, product, type and expiry stay the same: the caller has compared them. A broker may take it in several calls.
   * @throws BrokerError that is half done (`changeInParts`) if a later call fails
   */
  modify(triggerId: string, gtt: GttRequest, details: { lastPrice: number }): Promise<{ triggerId: string }>
  cancel(triggerId: string): Promise<{ triggerId: string }>
  /** Returns every trigger that may still fire, and those that have ended as far as the broker lists them. */
  list(): Promise<BrokerGtt[]>
  /** Returns one trigger in any state; undefined if the broker does not know it. Absent if the broker cannot be asked. */
  gtt?(triggerId: string): Promise<BrokerGtt | undefined>
  /** Returns the trigger with our tag, in any state. Absent if the broker stores no tag. */
  findByTag?(tag: string): Promise<BrokerGtt | undefined>
}

export interface BrokerGtt {
  triggerId: string
  type: 'single' | 'two-leg'
  /** A `disabled` one does not fire until somebody enables it again at the broker. */
  status: 'active' | 'disabled' | 'triggered' | 'cancelled' | 'expired' | 'rejected'
  /** The order that a triggered GTT sent. Absent until then, and where the broker does not send it. */
  triggeredOrderId?: string
  /** Why the order of a GTT that fired was refused: its status is `rejected`. Absent for every other. */
  rejectionReason?: string
  symbol: string
  exchange: string
  triggerPrices: readonly number[]
  /** The last price when it was placed or last changed. */
  lastPrice: number
  legs: readonly {
    action: Action
    quantity: number
    price: number
    priceType: GttPriceType
    /** The broker's own product: one of ours, or one in which nobody can place a GTT here (MTF). */
    product: string
  }[]
  /** Epoch milliseconds; undefined if the broker does not send it. */
  createdAt: number | undefined
  updatedAt: number | undefined
  expiresAt: number | undefined
}

/** Amounts in rupees; null if the broker does not send that part. */
export interface BrokerMargin {
  total: number
  span: number | null
  exposure: number | null
}

export interface BrokerMargins {
  /** Returns the combined margin of these orders if they were placed now. */
  estimate(orders: readonly OrderRequest[]): Promise<BrokerMargin>
}

/** A live price feed. The core counts subscribers and reconnects; the plugin implements the protocol. */
export interface TickFeed {
  /** Connects. If the feed is already open, it reconnects, because the caller found it silent. */
  open(onTick: (tick: Tick) => void): Promise<void>
  /** Returns milliseconds since the last data on the connection. Only for feeds with heartbeats. */
  silentMs?(): number
  /** Returns whether the broker refused the session: only a new sign-in helps. Absent if a feed cannot tell. */
  refused?(): boolean
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void
  unsubscribe(refs: readonly SymbolRef[]): void
}

/** A feed of order updates pushed by the broker. */
export interface OrderFeed {
  /** @param onUnreadable called for an update that cannot be read: only the book tells what became of its order */
  open(onUpdate: (order: BrokerOrder) => void, onUnreadable?: () => void): Promise<void>
  /** Whether it is connected, and how often it has connected: updates between two connections are lost. */
  state(): { connected: boolean; connections: number }
}
