import { ServiceError } from '../errors/index.js'
import { type InstrumentCatalog, longExpiry, splitSymbol } from '../instruments/index.js'
import type { SymbolRef } from '../market/index.js'
import { isOptionType } from './ladder.js'
import type { OptionType } from './pricing/black76.js'
import { expiryInstant, type TimeLeft, timeLeft } from './pricing/cut-off.js'
import { quotedUnderlying } from './underlying.js'

/** An option whose Greeks are wanted. */
export interface GreeksRequest {
  symbol: string
  exchange: string
  /** Percent a year. */
  interestRate: number
  /** Given, it is the forward; otherwise it is found. */
  forwardPrice?: number | undefined
  /** What its price follows, where that is not the root of its symbol. */
  underlyingSymbol?: string | undefined
  underlyingExchange?: string | undefined
  /** `HH:MM` IST on the last day. */
  expiryTime?: string | undefined
}

/** The request with what its symbol tells. */
export interface OptionLeg {
  request: GreeksRequest
  base: string
  /** `DD-MON-YY`. */
  expiry: string
  strike: number
  type: OptionType
  /** Undefined once it has expired. */
  left: TimeLeft | undefined
  /** What its forward is taken from; undefined where the request gives the forward. */
  underlying: SymbolRef | undefined
  /** Whether the options of the same expiry tell the forward. */
  impliesForward: boolean
}

/** @throws ServiceError `validation` for a symbol that is no option, `not_found` without a quoted underlying */
export function optionLeg(request: GreeksRequest, catalog: InstrumentCatalog, now: number): OptionLeg {
  const { symbol, exchange } = request
  const parts = splitSymbol(symbol)
  const expiresAt = parts && expiryInstant(parts.expiry, exchange, request.expiryTime)
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
    underlying: request.forwardPrice ? undefined : underlyingOf(request, base, catalog, now),
    impliesForward: !request.forwardPrice && (other === undefined || other === base),
  }
}

export function expiredText({ expiry }: OptionLeg): string {
  return `Option has expired on ${longExpiry(expiry)}`
}

function underlyingOf(
  { exchange, underlyingSymbol, underlyingExchange }: GreeksRequest,
  base: string,
  catalog: InstrumentCatalog,
  now: number,
): SymbolRef {
  if (underlyingSymbol === undefined || underlyingSymbol === base) {
    return quotedUnderlying(base, underlyingExchange ?? exchange, catalog, now)
  }
  if (underlyingExchange !== undefined) return { symbol: underlyingSymbol, exchange: underlyingExchange }
  // A contract is quoted where the option is; anything else is a root.
  if (catalog.find(underlyingSymbol, exchange)) return { symbol: underlyingSymbol, exchange }
  return quotedUnderlying(underlyingSymbol, exchange, catalog, now)
}

function invalid(message: string): ServiceError {
  return new ServiceError('validation', message)
}
