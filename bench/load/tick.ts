import type { SymbolRef, Tick } from '../../src/core/market/index.js'

/** Returns a tick at a price. Its fields are written out: a spread would cost more than the measured code. */
export function tickAt({ symbol, exchange }: SymbolRef, ltp: number): Tick {
  return {
    symbol,
    exchange,
    ltp,
    bid: ltp,
    ask: ltp + 0.05,
    bidSize: 100,
    askSize: 100,
    open: ltp,
    high: ltp,
    low: ltp,
    prevClose: ltp,
    volume: 1000,
    oi: 0,
    timestamp: Date.now(),
    lastQuantity: 10,
    averagePrice: ltp,
    totalBuyQuantity: 500,
    totalSellQuantity: 500,
  }
}
