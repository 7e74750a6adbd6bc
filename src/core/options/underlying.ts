import { ServiceError } from '../errors/index.js'
import {
  futureSymbol,
  type InstrumentCatalog,
  perpetualSymbol,
  splitPerpetual,
  splitSymbol,
} from '../instruments/index.js'
import type { SymbolRef } from '../market/index.js'
import type { Listings } from './ports.js'
import { expiryInstant } from './pricing/cut-off.js'

/** Index underlyings and the exchange code that quotes them. */
export const INDEX_HOME: Readonly<Record<string, 'NSE_INDEX' | 'BSE_INDEX'>> = {
  NIFTY: 'NSE_INDEX',
  BANKNIFTY: 'NSE_INDEX',
  FINNIFTY: 'NSE_INDEX',
  MIDCPNIFTY: 'NSE_INDEX',
  NIFTYNXT50: 'NSE_INDEX',
  INDIAVIX: 'NSE_INDEX',
  SENSEX: 'BSE_INDEX',
  BANKEX: 'BSE_INDEX',
  SENSEX50: 'BSE_INDEX',
}

/** The exchange that lists the options, by the exchange that quotes the underlying. */
const OPTIONS_VENUE: Readonly<Record<string, string>> = {
  NSE: 'NFO',
  NSE_INDEX: 'NFO',
  BSE: 'BFO',
  BSE_INDEX: 'BFO',
}
/** The cash exchange of a stock, by its derivatives exchange. */
const STOCK_HOME: Readonly<Record<string, string>> = { NFO: 'NSE', BFO: 'BSE' }
/** Exchanges without a spot price: the nearest future is used instead. */
const FUTURES_ONLY: ReadonlySet<string> = new Set(['MCX', 'CDS', 'BCD', 'NCDEX', 'NCO'])
const DEFAULT_VENUE = 'NFO'

interface NamedUnderlying {
  /** The root: `NIFTY`. */
  base: string
  /** `DD-MON-YY`, if the name has one (`NIFTY28OCT25FUT`). */
  expiry: string | undefined
}

/** Parses the name of an underlying: its root or a contract on it, in any case. */
export function namedUnderlying(text: string, exchange: string): NamedUnderlying {
  const name = text.trim().toUpperCase()
  const parts = splitSymbol(name)
  if (parts) return { base: parts.base, expiry: parts.expiry }
  const perpetual = exchange === 'CRYPTO' ? splitPerpetual(name) : undefined
  return { base: perpetual?.base ?? name, expiry: undefined }
}

/**
 * Returns the exchange that quotes the spot of an NSE or BSE underlying: the index exchange for indices, NSE
 * otherwise.
 */
export function spotExchange(base: string): 'NSE_INDEX' | 'BSE_INDEX' | 'NSE' {
  return (Object.hasOwn(INDEX_HOME, base) ? INDEX_HOME[base] : undefined) ?? 'NSE'
}

/** Returns the exchange that lists the options on `base` when a request names `exchange`. */
export function optionsVenue(base: string, exchange: string): string {
  const home = isStockVenue(exchange) && Object.hasOwn(INDEX_HOME, base) ? INDEX_HOME[base] : exchange
  if (home && Object.hasOwn(OPTIONS_VENUE, home)) return OPTIONS_VENUE[home] ?? DEFAULT_VENUE
  return isStockVenue(exchange) || FUTURES_ONLY.has(exchange) || exchange === 'CRYPTO'
    ? exchange
    : DEFAULT_VENUE
}

/**
 * Returns the symbol whose price is the underlying's price: the index or share, the nearest future if there
 * is no spot, or the perpetual of a coin.
 * @throws ServiceError `not_found` if no such contract is listed
 */
export function quotedUnderlying(base: string, exchange: string, listings: Listings, now: number): SymbolRef {
  if (FUTURES_ONLY.has(exchange)) return nearestFuture(base, exchange, listings, now)
  if (exchange === 'CRYPTO') return perpetualOf(base, listings.catalog)
  if (!isStockVenue(exchange)) return { symbol: base, exchange }
  const home = Object.hasOwn(INDEX_HOME, base) ? INDEX_HOME[base] : STOCK_HOME[exchange]
  return { symbol: base, exchange: home ?? exchange }
}

const isStockVenue = (exchange: string): boolean => Object.hasOwn(STOCK_HOME, exchange)

function nearestFuture(
  base: string,
  exchange: string,
  { calendar, catalog }: Listings,
  now: number,
): SymbolRef {
  const expiry = catalog
    .expiries(exchange, base, 'futures')
    .find((one) => (expiryInstant({ expiry: one, exchange }, calendar) ?? 0) > now)
  if (expiry !== undefined) return { symbol: futureSymbol(base, expiry), exchange }
  throw new ServiceError(
    'not_found',
    `No unexpired futures found for ${base} on ${exchange}. Please update the master contract.`,
  )
}

function perpetualOf(base: string, catalog: InstrumentCatalog): SymbolRef {
  const usual = catalog.find(perpetualSymbol(base, 'USD'), 'CRYPTO')
  const perpetual =
    usual ?? catalog.contracts(base, 'CRYPTO').find(({ instrumentType }) => instrumentType === 'PERPFUT')
  if (perpetual) return { symbol: perpetual.symbol, exchange: 'CRYPTO' }
  throw new ServiceError('not_found', `No perpetual futures found for ${base} on CRYPTO`)
}
