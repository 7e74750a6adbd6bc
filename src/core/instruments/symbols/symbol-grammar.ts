import { DERIVATIVE_EXCHANGES } from '../schema.js'
import { expiryToDate, MONTHS } from './expiry.js'

/** The parts of a dated symbol: `NIFTY28MAR2420800CE`. */
export interface SymbolParts {
  base: string
  /** `DD-MON-YY`. */
  expiry: string
  /** Options only. */
  strike: number | undefined
  /**
   * Undefined for an underlying with an expiry only (`NIFTY28MAR24`), a form that option requests may use.
   */
  type: 'FUT' | 'CE' | 'PE' | undefined
}

const BASE = '[A-Z0-9&_-]+?'
const DATED = new RegExp(
  `^(${BASE})(\\d{2})(${MONTHS.join('|')})(\\d{2})(?:(\\d+(?:\\.\\d+)?)(CE|PE)|(FUT))?$`,
)
const PERPETUAL = new RegExp(`^(${BASE})(USDT|USD|INR)FUT$`)
/** Longer than any symbol an exchange lists. Longer texts are rejected before the regular expression runs. */
const MAX_LENGTH = 64
/** The maximum number of decimals of a strike. */
const STRIKE_DECIMALS = 8

/**
 * Returns the common prefix of all contracts of one underlying and expiry: `NIFTY28MAR24`. `expiry` is
 * `DD-MON-YY`.
 */
export function datedPrefix(base: string, expiry: string): string {
  return base + expiry.replaceAll('-', '')
}

/** Spells a strike as symbols do: `20800`, `292.5`; never `20800.0` and never with an exponent. */
export function strikeText(strike: number): string {
  if (Number.isInteger(strike)) return String(strike)
  return strike.toFixed(STRIKE_DECIMALS).replace(/0+$/, '')
}

/** Returns a symbol such as `NIFTY28MAR24FUT`. `expiry` is `DD-MON-YY`. */
export function futureSymbol(base: string, expiry: string): string {
  return `${datedPrefix(base, expiry)}FUT`
}

/** Returns a symbol such as `NIFTY28MAR2420800CE`. `expiry` is `DD-MON-YY`. */
export function optionSymbol(base: string, expiry: string, strike: number, type: 'CE' | 'PE'): string {
  return `${datedPrefix(base, expiry)}${strikeText(strike)}${type}`
}

/** Returns a symbol such as `BTCUSDFUT`. */
export function perpetualSymbol(base: string, quote: string): string {
  return `${base}${quote}FUT`
}

/**
 * Splits a dated symbol at the earliest valid date that is followed only by a strike and type, or by nothing.
 * Returns undefined for any other symbol, including cash symbols and perpetuals.
 */
export function splitSymbol(symbol: string): SymbolParts | undefined {
  const match = symbol.length > MAX_LENGTH ? null : DATED.exec(symbol)
  if (!match) return undefined
  const [, base = '', day, month, year, strike, option, future] = match
  const expiry = `${day}-${month}-${year}`
  if (!expiryToDate(expiry)) return undefined
  const type = option === 'CE' || option === 'PE' ? option : future === 'FUT' ? 'FUT' : undefined
  return { base, expiry, strike: strike === undefined ? undefined : Number(strike), type }
}

/** Splits a perpetual (`BTCUSDFUT` into `BTC` and `USD`); returns undefined for any other symbol. */
export function splitPerpetual(symbol: string): { base: string; quote: string } | undefined {
  const match = symbol.length > MAX_LENGTH ? null : PERPETUAL.exec(symbol)
  return match?.[1] && match[2] ? { base: match[1], quote: match[2] } : undefined
}

/**
 * Returns the underlying of a contract (`NIFTY` of `NIFTY28MAR24FUT`). On cash and index exchanges it is the
 * symbol itself.
 */
export function underlyingOf(symbol: string, exchange: string): string {
  if (!DERIVATIVE_EXCHANGES.has(exchange)) return symbol
  const perpetual = exchange === 'CRYPTO' ? splitPerpetual(symbol) : undefined
  return splitSymbol(symbol)?.base ?? perpetual?.base ?? symbol
}
