/**
 * A currency pair of the CDS segment. Every price is a multiple of a quarter
 * paisa.
 */
interface CurrencyPair {
  symbol: string
  basePrice: number
  /** Annual, percent. */
  volatility: number
  strikeStep: number
  /** Number of weekly option expiries (Fridays); 0 for monthly only. */
  weeklies: number
}

export const CURRENCY_TICK = 0.0025
/** The largest order the exchange accepts, 10,000 contracts of 1,000 units. */
export const CURRENCY_FREEZE = 10_000_000

export const CURRENCY_PAIRS: readonly CurrencyPair[] = [
  { symbol: 'USDINR', basePrice: 88.65, volatility: 4, strikeStep: 0.25, weeklies: 8 },
  { symbol: 'EURINR', basePrice: 102.75, volatility: 8, strikeStep: 0.25, weeklies: 4 },
  { symbol: 'GBPINR', basePrice: 116.6, volatility: 9, strikeStep: 0.25, weeklies: 4 },
  { symbol: 'JPYINR', basePrice: 57.35, volatility: 10, strikeStep: 0.25, weeklies: 4 },
]
