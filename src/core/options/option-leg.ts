import { ServiceError } from '../errors/index.js'
import { longExpiry, splitSymbol } from '../instruments/index.js'
import type { SymbolRef } from '../market/index.js'
import { isOptionType } from './chain/ladder.js'
import type { Listings } from './ports.js'
import type { OptionType } from './pricing/black76.js'
import { expiryInstant, type TimeLeft, timeLeft } from './pricing/cut-off.js'
import { quotedUnderlying } from './underlying.js'

/** A request for the Greeks of one option. */
export interface GreeksRequest {
  symbol: string
  exchange: string
  /** Percent per year. */
  interestRate: number
  /** The forward price. If absent, it is computed. */
  forwardPrice?: number | undefined
  /** The underlying, if it is not the root of the option's symbol. */
  underlyingSymbol?: string | undefined
  underlyingExchange?: string | undefined
  /** `HH:MM` IST on the expiry day. */
  expiryTime?: string | undefined
}

/** A request together with the parts of its symbol. */
export interface OptionLeg {
  request: GreeksRequest
  base: string
  /** `DD-MON-YY`. */
  expiry: string
  strike: number
  type: OptionType
  /** Undefined after expiry. */
  left: TimeLeft | undefined
  /** The symbol whose price gives the forward; undefined if the request gives the forward. */
  underlying: SymbolRef | undefined
  /** True if the options of the same expiry imply the forward. */
  impliesForward: boolean
}

/**
 * Parses a Greeks request.
 * @throws ServiceError `validation` if the symbol is not an option, `not_found` without a quoted underlying
 */
export function optionLeg(request: GreeksRequest, listings: Listings, now: number): OptionLeg {
  const { symbol, exchange } = request
  const parts = splitSymbol(symbol)
  const expiresAt =
    parts && expiryInstant({ expiry: parts.expiry, exchange, time: request.expiryTime }, listings.calendar)
  if (!parts || parts.strike === undefined || !isOptionType(parts.type ?? '') || expiresAt === undefined) {
    throw invalid(`Failed to get option Greeks: ${symbol} is not an option symbol`)
  }
  if (!(parts.strike > 0)) throw invalid('Strike price must be positive')
  const { base, expiry, strike, type } = parts
  const other = request.underlyingSymbol
  return {
    request,
    base,
    expiry,
    strike,
    type: type === 'PE' ? 'PE' : 'CE',
    left: timeLeft(expiresAt, now),
    underlying: request.forwardPrice ? undefined : underlyingOf(request, base, listings, now),
    impliesForward: !request.forwardPrice && (other === undefined || other === base),
  }
}

export function expiredText({ expiry }: OptionLeg): string {
  return `Option has expired on ${longExpiry(expiry)}`
}

function underlyingOf(
  { exchange, underlyingSymbol, underlyingExchange }: GreeksRequest,
  base: string,
  listings: Listings,
  now: number,
): SymbolRef {
  if (underlyingSymbol === undefined || underlyingSymbol === base) {
    return quotedUnderlying(base, underlyingExchange ?? exchange, listings, now)
  }
  if (underlyingExchange !== undefined) return { symbol: underlyingSymbol, exchange: underlyingExchange }
  // If the option's exchange lists the underlying symbol, it is a contract of that exchange. Otherwise it is
  // a root.
  if (listings.catalog.find(underlyingSymbol, exchange)) return { symbol: underlyingSymbol, exchange }
  return quotedUnderlying(underlyingSymbol, exchange, listings, now)
}

function invalid(message: string): ServiceError {
  return new ServiceError('validation', message)
}
