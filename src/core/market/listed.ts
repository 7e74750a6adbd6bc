import { ServiceError } from '../errors/index.js'
import type { InstrumentDirectory } from '../instruments/schema.js'
import type { DepthQuote, MarketData, QuoteOrError } from './quotes.js'
import type { Quote, SymbolRef } from './schema.js'

/** Returns the error text for a symbol that is not in the instrument table. */
export function notListedText({ symbol, exchange }: SymbolRef): string {
  return `Symbol '${symbol}' not found for exchange '${exchange}'. Please verify the symbol name and ensure master contracts are downloaded.`
}

/**
 * Returns the error for a symbol that is not in the instrument table. The public API answers it with status 400.
 * @param extra further members of the answer
 */
export function notListed(ref: SymbolRef, extra?: Record<string, unknown>): ServiceError {
  return new ServiceError('not_found', notListedText(ref), { reason: 'not_listed', ...(extra && { extra }) })
}

/**
 * Market data of listed symbols. The broker is never asked for a symbol that is not in the instrument table.
 */
export class ListedMarket {
  readonly #market: Pick<MarketData, 'quote' | 'quotes' | 'depth'>
  readonly #instruments: Pick<InstrumentDirectory, 'find' | 'master'>
  /** Frozen lists of which every symbol is listed, with the master that lists them. */
  readonly #allListed = new WeakMap<readonly SymbolRef[], object>()

  constructor(
    market: Pick<MarketData, 'quote' | 'quotes' | 'depth'>,
    instruments: Pick<InstrumentDirectory, 'find' | 'master'>,
  ) {
    this.#market = market
    this.#instruments = instruments
  }

  /**
   * Returns a quote with the best prices.
   * @throws ServiceError `not_found` for a symbol that is not listed, or the broker's error
   */
  async quote(ref: SymbolRef): Promise<Quote> {
    this.requireListed(ref)
    return this.#market.quote(ref, { withBook: true })
  }

  /** @throws ServiceError `not_found` for a symbol that is not listed, or the broker's error */
  async depth(ref: SymbolRef): Promise<DepthQuote> {
    this.requireListed(ref)
    return this.#market.depth(ref)
  }

  /**
   * Returns one result per symbol, in order; an unlisted symbol has an error.
   * @param refs a frozen list, with symbols that nobody changes, is looked up once for each master
   * @throws ServiceError if the whole broker request fails
   */
  async quotes(refs: readonly SymbolRef[]): Promise<readonly QuoteOrError[]> {
    const { master } = this.#instruments
    if (this.#allListed.get(refs) === master) return this.#market.quotes(refs)
    const isListed = refs.map((ref) => this.isListed(ref))
    if (Object.isFrozen(refs) && !isListed.includes(false)) this.#allListed.set(refs, master)
    const listed = isListed.includes(false) ? refs.filter((_, place) => isListed[place]) : refs
    const quotes = listed.length > 0 ? await this.#market.quotes(listed) : []
    let next = 0
    return refs.map((ref, place) =>
      isListed[place]
        ? (quotes[next++] ?? { error: 'The broker returned no quote' })
        : { error: notListedText(ref) },
    )
  }

  isListed({ symbol, exchange }: SymbolRef): boolean {
    return this.#instruments.find(symbol, exchange) !== undefined
  }

  /** @throws ServiceError `not_found` */
  requireListed(ref: SymbolRef): void {
    if (!this.isListed(ref)) throw notListed(ref)
  }
}
