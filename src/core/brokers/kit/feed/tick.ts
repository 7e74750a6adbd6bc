import type { SymbolRef, Tick } from '../../../market/schema.js'
import type { Contract, Units } from '../books/units.js'
import { quoteOf, type ToldQuote } from '../market/quote.js'

/** What a feed tells of an instrument: prices in rupees, quantities as the broker counts them. */
export interface ToldTick extends ToldQuote {
  readonly lastQuantity?: number | undefined
  readonly averagePrice?: number | undefined
  readonly totalBuyQuantity?: number | undefined
  readonly totalSellQuantity?: number | undefined
}

/**
 * Converts what a feed tells of an instrument to a tick, in units. What it does not tell is 0; without an order book the tick
 * has none.
 * @param timestamp epoch milliseconds of the last trade, or of the arrival
 */
export function tickOf(
  units: Units,
  instrument: Contract & SymbolRef,
  told: ToldTick,
  timestamp: number,
): Tick {
  const counted = (count = 0) => units.unitsOf(instrument, count)
  return {
    ...quoteOf(units, instrument, told, timestamp),
    lastQuantity: counted(told.lastQuantity),
    averagePrice: told.averagePrice ?? 0,
    totalBuyQuantity: counted(told.totalBuyQuantity),
    totalSellQuantity: counted(told.totalSellQuantity),
    ...(told.depth && { depth: units.depthInUnits(instrument, told.depth) }),
  }
}
