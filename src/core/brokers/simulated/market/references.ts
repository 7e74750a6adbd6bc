import type { Instrument } from '../../../instruments/schema.js'
import { hashText, unit } from './noise.js'

/** A price process: its name, the price it moves around, and its volatility. */
export interface Underlying {
  /** The symbol that quotes it, with its exchange: `NSE_INDEX:NIFTY`, `NSE:SBIN`, `CDS:USDINR`. */
  key: string
  /** Price in the exchange's own decimals. */
  basePrice: number
  /** Standard deviation of a year's log return, as a fraction: 0.24 is about 1.5 % per trading day. */
  volatility: number
}

/** Returns the process an instrument follows; undefined if it is not described. */
export type UnderlyingOf = (instrument: Instrument) => Underlying | undefined

const CASH_MARKETS: ReadonlySet<string> = new Set(['NSE', 'BSE', 'NFO', 'BFO'])

/**
 * Returns the process of an instrument. If it is not described (an imported master may have more
 * instruments), a plausible stock is used.
 */
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
