import { type BrokerClient, type BrokerManifest, brokerFailure } from '../brokers/index.js'
import { ServiceError } from '../errors/index.js'
import { INDEX_EXCHANGES } from '../instruments/schema.js'
import type { TickHub } from './hub.js'
import type { Candle, PriceBand, Quote, QuoteNeeds, SymbolRef, Tick } from './schema.js'

/** A tick of at most this age is used as a quote. */
const FRESH_MS = 1000

export interface MarketDataOptions {
  hub: TickHub
  /** Returns the connected broker. @throws ServiceError if there is none */
  broker: () => { client: BrokerClient; manifest: BrokerManifest }
}

/** One result of a batch of quotes; results are in the order of the requested symbols. */
export type QuoteOrError = Quote | { error: string }

/** A quote with its order book and any further fields the broker sends. */
export type DepthQuote = Awaited<ReturnType<BrokerClient['market']['depth']>>

/** Provides market data: from the tick stream while it is fresh, from the broker otherwise. */
export class MarketData {
  readonly #hub: TickHub
  readonly #broker: MarketDataOptions['broker']

  constructor(options: MarketDataOptions) {
    this.#hub = options.hub
    this.#broker = options.broker
  }

  /**
   * Returns the quote of one symbol, for its price: without the need of them, a tick may lack the best prices. A caller that needs
   * the price band and has a fresh tick gets the tick if the broker fails.
   * @throws ServiceError `not_found` if the broker has no quote for it, or the broker's error
   */
  async quote(ref: SymbolRef, needs: QuoteNeeds = {}): Promise<Quote> {
    if (needs.withBook === true) return this.#whole(ref) ?? this.#asked(ref)
    const fresh = this.fresh(ref, needs)
    if (fresh) return fresh
    const tick = this.fresh(ref)
    return tick ? this.#asked(ref).catch(() => tick) : this.#asked(ref)
  }

  /** Returns the day's price band; undefined if it is not known or there is none. The broker is not asked. */
  priceBand(ref: SymbolRef): PriceBand | undefined {
    return this.#priceBand(ref) ?? undefined
  }

  /**
   * Returns one result per symbol, in order, each with the best prices. A symbol that the broker does not know does not fail the others.
   * Only symbols without a fresh tick that is a whole quote are requested from the broker, in batches of its own size, one after
   * the other.
   * @param refs a frozen list is one that the caller asks for again; a broker may keep what it knows of it
   * @throws ServiceError if the whole broker request fails
   */
  async quotes(refs: readonly SymbolRef[]): Promise<readonly QuoteOrError[]> {
    if (this.#hub.isIdle) {
      const fetched = await this.#fetch(refs)
      if (fetched.length === refs.length) return fetched
      return refs.map((_, place) => fetched[place] ?? { error: 'The broker returned no quote' })
    }
    const answers: (QuoteOrError | undefined)[] = refs.map((ref) => this.#whole(ref))
    const missing = [...refs.keys()].filter((index) => answers[index] === undefined)
    if (missing.length > 0) {
      const missingRefs = missing.flatMap((index) => refs[index] ?? [])
      const fetched = await this.#fetch(missingRefs)
      missing.forEach((index, position) => {
        answers[index] = fetched[position]
      })
    }
    return answers.map((answer) => answer ?? { error: 'The broker returned no quote' })
  }

  /** Returns a quote with the order book. @throws ServiceError */
  depth(ref: SymbolRef): Promise<DepthQuote> {
    return this.#ask((client) => client.market.depth(ref))
  }

  /**
   * Returns the bars of the IST dates `from` to `to` (both inclusive), ascending. A daily bar has the UTC
   * instant of IST midnight.
   * @throws ServiceError `validation` for an interval the broker does not support, or the broker's error
   */
  async history(
    query: SymbolRef & { interval: string; from: string; to: string },
  ): Promise<readonly Candle[]> {
    const intervals = this.intervals()
    if (!intervals.includes(query.interval)) {
      const text = `Must be one of: ${intervals.join(', ')}.`
      throw new ServiceError('validation', `interval: ${text}`, { errors: { interval: [text] } })
    }
    return this.#ask((client) => client.market.history(query))
  }

  /** Returns the intervals that the connected broker supports. @throws ServiceError without a broker */
  intervals(): readonly string[] {
    return this.#broker().client.market.intervals
  }

  /** Returns the last tick if it is fresh, as the price of an order. It may lack the order book. The broker is not asked. */
  fresh(ref: SymbolRef, { withBand = false }: QuoteNeeds = {}): Tick | undefined {
    const age = this.#hub.ageMs(ref)
    if (age === undefined || age > FRESH_MS || this.#hub.mode(ref) === 1) return undefined
    return withBand && this.#priceBand(ref) === undefined ? undefined : this.#hub.last(ref)
  }

  /** Returns the last tick if it is fresh and a whole quote. */
  #whole(ref: SymbolRef): Tick | undefined {
    const tick = this.fresh(ref)
    return tick && tellsBook(tick) ? tick : undefined
  }

  /** Returns the band that the broker reported; null if none can be known, undefined if a quote tells it. */
  #priceBand(ref: SymbolRef): PriceBand | null | undefined {
    try {
      const { client } = this.#broker()
      return client.priceBand ? client.priceBand(ref) : null
    } catch {
      return null
    }
  }

  async #asked(ref: SymbolRef): Promise<Quote> {
    const [answer] = await this.#fetch([ref])
    if (answer && !('error' in answer)) return answer
    throw new ServiceError('not_found', answer?.error ?? `No quote for ${ref.symbol} on ${ref.exchange}`)
  }

  async #fetch(refs: readonly SymbolRef[]): Promise<readonly QuoteOrError[]> {
    const { manifest } = this.#broker()
    const size = Math.max(1, manifest.quotes.maxBatch)
    if (refs.length <= size) return this.#ask((client) => client.market.quotes(refs))
    const answers: QuoteOrError[] = []
    for (let start = 0; start < refs.length; start += size) {
      const batch = refs.slice(start, start + size)
      answers.push(...(await this.#ask((client) => client.market.quotes(batch))))
    }
    return answers
  }

  async #ask<T>(call: (client: BrokerClient) => Promise<T>): Promise<T> {
    try {
      return await call(this.#broker().client)
    } catch (error) {
      throw brokerFailure(error)
    }
  }
}

/**
 * Returns whether a tick tells the best prices. Some feeds tell them only with the order book, and others only once the symbol's
 * mode has been raised: the zeros in their ticks are no empty side. An index has no order book.
 */
function tellsBook({ depth, bid, ask, exchange }: Tick): boolean {
  return depth !== undefined || bid > 0 || ask > 0 || INDEX_EXCHANGES.has(exchange)
}
