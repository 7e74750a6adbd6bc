import type { Instrument } from '../../../instruments/schema.js'
import { hashText, unit } from './noise.js'

/** A price process: what it is called, around which price it moves, and how much. */
export interface Underlying {
  /** The symbol that quotes it, with its exchange: `NSE_INDEX:NIFTY`, `NSE:SBIN`, `CDS:USDINR`. */
  key: string
  /** In the exchange's own decimals. */
  basePrice: number
  /** Standard deviation of a year's log return, as a fraction: 0.24 is about 1.5 % a trading day. */
  volatility: number
}

/** Finds the process an instrument follows; undefined for one nobody described. */
export type UnderlyingOf = (instrument: Instrument) => Underlying | undefined

const CASH_MARKETS: ReadonlySet<string> = new Set(['NSE', 'BSE', 'NFO', 'BFO'])

/** The process of an instrument; a plausible stock where nobody described one (an imported master knows more). */
export function underlyingOrGuess(underlyingOf: UnderlyingOf, instrument: Instrument): Underlying {
  const known = underlyingOf(instrument)
  if (known) return known
  const name = instrument.expiry === '' ? instrument.symbol : instrument.name || instrument.symbol
  const key = `${CASH_MARKETS.has(instrument.exchange) ? 'NSE' : instrument.exchange}:${name}`
  const seed = hashText(key)
  return {
    key,
    basePrice: Math.round(50 * 60 ** unit(seed, 1) * 20) / 20,
    volatility: 0.2 + 0.15 * unit(seed, 2),
  }
}
