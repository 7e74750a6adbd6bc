/** A symbol on an exchange, in the service's spelling. */
export interface SymbolRef {
  symbol: string
  exchange: string
}

/** One level of an order book. Price in rupees (with the exchange's own decimals), quantity in units. */
export interface DepthLevel {
  readonly price: number
  readonly quantity: number
  readonly orders: number
}

/** An order book. Requests within one second may get the same one. */
export interface Depth {
  /** Best first. */
  readonly buy: readonly DepthLevel[]
  readonly sell: readonly DepthLevel[]
}

/**
 * The state of an instrument at one instant. `bid` and `ask` are 0 if that side is empty. Requests within one second may
 * get the same one.
 */
export interface Quote extends Readonly<SymbolRef> {
  readonly ltp: number
  readonly bid: number
  readonly ask: number
  readonly bidSize: number
  readonly askSize: number
  readonly open: number
  readonly high: number
  readonly low: number
  /** Previous session's close. */
  readonly prevClose: number
  readonly volume: number
  /** Open interest; 0 outside derivatives. */
  readonly oi: number
  /** Epoch milliseconds of the last trade. */
  readonly timestamp: number
}

/** The lowest and the highest price at which an exchange takes orders on a day, in rupees. */
export interface PriceBand {
  readonly lower: number
  readonly upper: number
}

/** What a caller needs besides a quote. `withBand`: the day's price band is known afterwards, if the broker tells it. */
export interface QuoteNeeds {
  readonly withBand?: boolean
  /** The best prices to buy and to sell, which the ticks of some feeds do not have. */
  readonly withBook?: boolean
}

/** A quote pushed by a feed; it has depth only if a subscriber asked for it. */
export interface Tick extends Quote {
  lastQuantity: number
  averagePrice: number
  totalBuyQuantity: number
  totalSellQuantity: number
  depth?: Depth
}

/** A bar. `timestamp` is the epoch second (UTC) at which the bar opens. */
export interface Candle {
  timestamp: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  oi: number
}

/** The data a subscriber gets: 1 last price, 2 quote, 3 quote with depth. */
export type StreamMode = 1 | 2 | 3

/** Returns the highest mode whose fields a tick carries: a feed in LTP mode sends no more than the price. */
export function modeOfTick(tick: Tick): StreamMode {
  if (tick.depth) return 3
  return tick.open > 0 || tick.prevClose > 0 ? 2 : 1
}

/** Returns the key of a symbol in maps: `NSE:SBIN`. */
export function symbolKey(ref: SymbolRef): string {
  return `${ref.exchange}:${ref.symbol}`
}
