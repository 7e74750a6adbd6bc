import type { Depth, Quote, SymbolRef } from '../../../market/schema.js'
import type { Contract, Units } from '../books/units.js'

/** What a broker tells of an instrument: prices in rupees, quantities as the broker counts them. */
export interface ToldQuote {
  readonly ltp: number
  readonly open?: number | undefined
  readonly high?: number | undefined
  readonly low?: number | undefined
  /** Previous session's close. */
  readonly prevClose?: number | undefined
  readonly volume?: number | undefined
  readonly oi?: number | undefined
  /** Best first. */
  readonly depth?: Depth | undefined
}

/**
 * Converts what a broker tells of an instrument to a quote, in units. What it does not tell is 0.
 * @param timestamp epoch milliseconds of the last trade
 */
export function quoteOf(
  units: Units,
  instrument: Contract & SymbolRef,
  told: ToldQuote,
  timestamp: number,
): Quote {
  const [bid, ask] = [told.depth?.buy[0], told.depth?.sell[0]]
  const counted = (count = 0) => units.unitsOf(instrument, count)
  return {
    symbol: instrument.symbol,
    exchange: instrument.exchange,
    ltp: told.ltp,
    bid: bid?.price ?? 0,
    ask: ask?.price ?? 0,
    bidSize: counted(bid?.quantity),
    askSize: counted(ask?.quantity),
    open: told.open ?? 0,
    high: told.high ?? 0,
    low: told.low ?? 0,
    prevClose: told.prevClose ?? 0,
    volume: counted(told.volume),
    oi: counted(told.oi),
    timestamp,
  }
}
