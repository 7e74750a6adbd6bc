import type { DepthQuote } from './quotes.js'
import type { DepthLevel, Quote } from './schema.js'

/** The number of levels per side; missing levels are zeros. */
const LEVELS = 5

/** Returns a quote with the field names of the public API. */
export function quoteView(quote: Quote) {
  return {
    ask: quote.ask,
    bid: quote.bid,
    high: quote.high,
    low: quote.low,
    ltp: quote.ltp,
    open: quote.open,
    prev_close: quote.prevClose,
    volume: quote.volume,
    oi: quote.oi,
    bid_qty: quote.bidSize,
    ask_qty: quote.askSize,
  }
}

/** Returns the order book with the field names of the public API. */
export function depthView(quote: DepthQuote) {
  const { buy, sell } = quote.depth
  return {
    asks: levels(sell),
    bids: levels(buy),
    high: quote.high,
    low: quote.low,
    ltp: quote.ltp,
    ltq: quote.lastQuantity ?? 0,
    oi: quote.oi,
    open: quote.open,
    prev_close: quote.prevClose,
    totalbuyqty: quote.totalBuyQuantity ?? total(buy),
    totalsellqty: quote.totalSellQuantity ?? total(sell),
    volume: quote.volume,
  }
}

function levels(side: readonly DepthLevel[]): { price: number; quantity: number }[] {
  return Array.from({ length: LEVELS }, (_, place) => {
    const { price = 0, quantity = 0 } = side[place] ?? {}
    return { price, quantity }
  })
}

function total(side: readonly DepthLevel[]): number {
  return side.reduce((sum, level) => sum + level.quantity, 0)
}
