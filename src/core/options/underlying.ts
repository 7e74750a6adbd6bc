import { ServiceError } from '../errors/index.js'
import {
  futureSymbol,
  type InstrumentCatalog,
  perpetualSymbol,
  splitPerpetual,
  splitSymbol,
} from '../instruments/index.js'
import type { SymbolRef } from '../market/index.js'
import { expiryInstant } from './pricing/cut-off.js'

/** Index roots, and the exchange code that quotes them. */
const INDEX_HOME: Readonly<Record<string, 'NSE_INDEX' | 'BSE_INDEX'>> = {
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

/** Where options are listed on what an exchange quotes. */
const OPTIONS_VENUE: Readonly<Record<string, string>> = {
  NSE: 'NFO',
  NSE_INDEX: 'NFO',
  BSE: 'BFO',
  BSE_INDEX: 'BFO',
}
/** Cash exchange of the stocks behind a derivatives exchange. */
const STOCK_HOME: Readonly<Record<string, string>> = { NFO: 'NSE', BFO: 'BSE' }
/** Exchanges without a spot: the nearest future stands for it. */
const FUTURES_ONLY: ReadonlySet<string> = new Set(['MCX', 'CDS', 'BCD', 'NCDEX', 'NCO'])
const DEFAULT_VENUE = 'NFO'

export interface NamedUnderlying {
  /** The root: `NIFTY`. */
  base: string
  /** `DD-MON-YY`, when the name carried one (`NIFTY28OCT25FUT`). */
  expiry: string | undefined
}

/** The underlying a user named, by its root or by a contract on it; any case. */
export function namedUnderlying(text: string, exchange: string): NamedUnderlying {
  const name = text.trim().toUpperCase()
  const parts = splitSymbol(name)
  if (parts) return { base: parts.base, expiry: parts.expiry }
  const perpetual = exchange === 'CRYPTO' ? splitPerpetual(name) : undefined
  return { base: perpetual?.base ?? name, expiry: undefined }
}

/** Where the spot of an NSE or BSE root is quoted: indices with the indices of their exchange, anything else on NSE. */
export function spotExchange(base: string): 'NSE_INDEX' | 'BSE_INDEX' | 'NSE' {
  return (Object.hasOwn(INDEX_HOME, base) ? INDEX_HOME[base] : undefined) ?? 'NSE'
}

/** The exchange that lists the options of a root a user named with `exchange` (contract, section 4). */
export function optionsVenue(base: string, exchange: string): string {
  const home = isStockVenue(exchange) && Object.hasOwn(INDEX_HOME, base) ? INDEX_HOME[base] : exchange
  if (home && Object.hasOwn(OPTIONS_VENUE, home)) return OPTIONS_VENUE[home] ?? DEFAULT_VENUE
  return isStockVenue(exchange) || FUTURES_ONLY.has(exchange) || exchange === 'CRYPTO'
    ? exchange
    : DEFAULT_VENUE
}

/**
 * The symbol whose price is that of the root (contract, section 4): the index or share, the nearest future where
 * there is no spot, the perpetual of a coin.
 * @throws ServiceError `not_found` when no such contract is listed
 */
export function quotedUnderlying(
  base: string,
  exchange: string,
  catalog: InstrumentCatalog,
  now: number,
): SymbolRef {
  if (FUTURES_ONLY.has(exchange)) return nearestFuture(base, exchange, catalog, now)
  if (exchange === 'CRYPTO') return perpetualOf(base, catalog)
  if (!isStockVenue(exchange)) return { symbol: base, exchange }
  const home = Object.hasOwn(INDEX_HOME, base) ? INDEX_HOME[base] : STOCK_HOME[exchange]
  return { symbol: base, exchange: home ?? exchange }
}

const isStockVenue = (exchange: string): boolean => Object.hasOwn(STOCK_HOME, exchange)

function nearestFuture(base: string, exchange: string, catalog: InstrumentCatalog, now: number): SymbolRef {
  const expiry = catalog
    .expiries(exchange, base, 'futures')
    .find((one) => (expiryInstant(one, exchange) ?? 0) > now)
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
