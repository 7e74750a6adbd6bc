import { ServiceError } from '../errors/index.js'
import { compactExpiry, storedExpiry } from '../instruments/index.js'
import type { Quote, SymbolRef } from '../market/index.js'
import { explained, priceMissing } from './failures.js'
import { atTheMoney, type Rung, strikeLadder } from './ladder.js'
import type { OptionSources } from './ports.js'
import { namedUnderlying, optionsVenue, quotedUnderlying } from './underlying.js'

/** An underlying with an expiry, as a request names them. */
export interface ExpiryRequest {
  underlying: string
  exchange: string
  /** Any of the usual forms; over the one the underlying's name may carry. */
  expiryDate?: string | undefined
}

/** Where the options a request asks for are listed. */
export interface OptionSeries {
  base: string
  venue: string
  /** As asked for, for messages. */
  expiryText: string
  /** `DD-MON-YY`; undefined when the text is no date. */
  expiry: string | undefined
}

/** Undefined when the request names no expiry at all. */
export function optionSeriesOf(request: ExpiryRequest): OptionSeries | undefined {
  const { base, expiry: embedded } = namedUnderlying(request.underlying, request.exchange)
  const given = request.expiryDate?.trim().toUpperCase() || embedded
  if (!given) return undefined
  const venue = optionsVenue(base, request.exchange)
  return { base, venue, expiryText: compactExpiry(given), expiry: storedExpiry(given) }
}

export function noStrikes({ base, expiryText }: OptionSeries): ServiceError {
  return new ServiceError(
    'not_found',
    `No strikes found for ${base} expiring ${expiryText}. Please check expiry date or update master contract.`,
  )
}

/**
 * The quote of an underlying and the symbol it is of.
 * @throws ServiceError with the failure's own status and `prefix` before its text
 */
export async function underlyingQuote(
  sources: OptionSources,
  base: string,
  exchange: string,
  prefix: string,
): Promise<{ ref: SymbolRef; quote: Quote }> {
  const ref = quotedUnderlying(base, exchange, sources.catalog, sources.clock.now())
  try {
    return { ref, quote: await sources.market.quote(ref) }
  } catch (error) {
    throw explained(error, prefix)
  }
}

/** The strikes of one expiry with the price that tells which of them is at the money. */
export interface PricedLadder {
  located: OptionSeries & { expiry: string }
  ref: SymbolRef
  quote: Quote
  ladder: Rung[]
  /** Place of the strike at the money in the ladder. */
  atm: number
  rung: Rung
}

/**
 * @throws ServiceError `validation` without an expiry, `not_found` when nothing is listed for it, or what the
 * quote failed with
 */
export async function pricedLadder(sources: OptionSources, request: ExpiryRequest): Promise<PricedLadder> {
  const located = optionSeriesOf(request)
  if (!located) throw new ServiceError('validation', 'Expiry date is required.')
  const { base, venue, expiry } = located
  const ladder = expiry ? strikeLadder(sources.catalog, base, venue, expiry) : []
  if (!expiry || ladder.length === 0) throw noStrikes(located)
  const prefix = `Failed to fetch LTP for ${base}: `
  const { ref, quote } = await underlyingQuote(sources, base, request.exchange, prefix)
  const atm = atTheMoney(ladder, quote.ltp)
  const rung = ladder[atm]
  if (!(quote.ltp > 0) || !rung) throw priceMissing('Failed to determine ATM strike')
  return { located: { ...located, expiry }, ref, quote, ladder, atm, rung }
}

/** Quotes by symbol of contracts of one exchange; one without a quote is left out. @throws ServiceError */
export async function quotesBySymbol(
  { market }: OptionSources,
  refs: readonly SymbolRef[],
): Promise<ReadonlyMap<string, Quote>> {
  const quotes = new Map<string, Quote>()
  for (const answer of await market.quotes(refs)) if (!('error' in answer)) quotes.set(answer.symbol, answer)
  return quotes
}

/** The forward that the options themselves imply at the money; undefined where they are not traded. */
export function impliedForward(
  { strike, CE, PE }: Rung,
  quotes: ReadonlyMap<string, Pick<Quote, 'ltp'>>,
): number | undefined {
  const call = quotes.get(CE?.symbol ?? '')?.ltp ?? 0
  const put = quotes.get(PE?.symbol ?? '')?.ltp ?? 0
  return call > 0 && put > 0 ? strike + call - put : undefined
}
