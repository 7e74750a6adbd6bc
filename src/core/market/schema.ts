/** A symbol on an exchange, in the service's own spelling. */
export interface SymbolRef {
  symbol: string
  exchange: string
}

/** One level of an order book. Prices in rupees (the exchange's own decimals), quantity in units. */
export interface DepthLevel {
  readonly price: number
  readonly quantity: number
  readonly orders: number
}

/** An order book; whoever asks within one second may be given the same one. */
export interface Depth {
  /** Best first. */
  readonly buy: readonly DepthLevel[]
  readonly sell: readonly DepthLevel[]
}

/** The state of an instrument at one instant. `bid` and `ask` are 0 where that side is empty. */
export interface Quote extends SymbolRef {
  ltp: number
  bid: number
  ask: number
  bidSize: number
  askSize: number
  open: number
  high: number
  low: number
  /** Previous session's close. */
  prevClose: number
  volume: number
  /** Open interest; 0 outside derivatives. */
  oi: number
  /** Epoch milliseconds of the last trade. */
  timestamp: number
}

/** A quote pushed by a feed; depth only when a subscriber asked for it. */
export interface Tick extends Quote {
  lastQuantity: number
  averagePrice: number
  totalBuyQuantity: number
  totalSellQuantity: number
  depth?: Depth
}

/** A bar. `timestamp` is the epoch second (UTC) at which it opens. */
export interface Candle {
  timestamp: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  oi: number
}

/** What a subscriber wants: last price, quote, or quote with depth. */
export type StreamMode = 1 | 2 | 3

/** The key of a symbol in maps: `NSE:SBIN`. */
export function symbolKey(ref: SymbolRef): string {
  return `${ref.exchange}:${ref.symbol}`
}
