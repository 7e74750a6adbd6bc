import { ServiceError } from '../errors/index.js'
import { compactExpiry, storedExpiry } from '../instruments/index.js'
import type { Quote, QuoteOrError, SymbolRef } from '../market/index.js'
import { atTheMoney, type Rung, strikeLadder } from './chain/ladder.js'
import { priceMissing, withPrefix } from './failures.js'
import type { OptionSources } from './ports.js'
import { namedUnderlying, optionsVenue, quotedUnderlying } from './underlying.js'

/** An underlying and an expiry, as given in a request. */
export interface ExpiryRequest {
  underlying: string
  exchange: string
  /** Any of the usual forms. It overrides an expiry in the underlying's name. */
  expiryDate?: string | undefined
}

/** The exchange and expiry of the requested options. */
export interface OptionSeries {
  base: string
  venue: string
  /** The expiry as requested, for messages. */
  expiryText: string
  /** `DD-MON-YY`; undefined if the text is not a date. */
  expiry: string | undefined
}

/** Returns undefined if the request has no expiry. */
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
 * Returns the quote of an underlying and the symbol it belongs to.
 * @throws ServiceError with the failure's own status and `prefix` before its text
 */
export async function underlyingQuote(
  sources: OptionSources,
  base: string,
  exchange: string,
  prefix: string,
): Promise<{ ref: SymbolRef; quote: Quote }> {
  const ref = quotedUnderlying(base, exchange, sources, sources.clock.now())
  try {
    return { ref, quote: await sources.market.quote(ref) }
  } catch (error) {
    throw withPrefix(error, prefix)
  }
}

/** The strikes of one expiry, with the underlying's price and the strike at the money. */
export interface PricedLadder {
  series: OptionSeries & { expiry: string }
  ref: SymbolRef
  quote: Quote
  ladder: readonly Rung[]
  /** Index of the at-the-money strike in the ladder. */
  atm: number
  rung: Rung
}

/**
 * Returns the strikes of one expiry together with the underlying's price.
 * @throws ServiceError `validation` without an expiry, `not_found` if nothing is listed for it, or the error
 * of the quote
 */
export async function pricedLadder(sources: OptionSources, request: ExpiryRequest): Promise<PricedLadder> {
  const series = optionSeriesOf(request)
  if (!series) throw new ServiceError('validation', 'Expiry date is required.')
  const { base, venue, expiry } = series
  const ladder = expiry ? strikeLadder(sources.catalog, base, venue, expiry) : []
  if (!expiry || ladder.length === 0) throw noStrikes(series)
  const prefix = `Failed to fetch LTP for ${base}: `
  const { ref, quote } = await underlyingQuote(sources, base, request.exchange, prefix)
  const atm = atTheMoney(ladder, quote.ltp)
  const rung = ladder[atm]
  if (!(quote.ltp > 0) || !rung) throw priceMissing('Failed to determine ATM strike')
  return { series: { ...series, expiry }, ref, quote, ladder, atm, rung }
}

/**
 * Returns quotes by symbol for contracts of one exchange; contracts without a quote are left out.
 * @throws ServiceError if the whole quote request fails
 */
export async function quotesBySymbol(
  { market }: OptionSources,
  refs: readonly SymbolRef[],
): Promise<ReadonlyMap<string, Quote>> {
  return bySymbol(await market.quotes(refs))
}

/** Returns the quotes among answers of one exchange, by symbol. */
export function bySymbol(answers: readonly QuoteOrError[]): ReadonlyMap<string, Quote> {
  const quotes = new Map<string, Quote>()
  for (const answer of answers) if (!('error' in answer)) quotes.set(answer.symbol, answer)
  return quotes
}

/** Returns the forward implied by the at-the-money call and put; undefined if one of them has no price. */
export function impliedForward(
  { strike, CE, PE }: Rung,
  quotes: ReadonlyMap<string, Pick<Quote, 'ltp'>>,
): number | undefined {
  const call = quotes.get(CE?.symbol ?? '')?.ltp ?? 0
  const put = quotes.get(PE?.symbol ?? '')?.ltp ?? 0
  return call > 0 && put > 0 ? strike + call - put : undefined
}
