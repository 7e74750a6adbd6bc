import type { Instrument } from '../../../instruments/schema.js'
import type { Depth, PriceBand, Quote, SymbolRef, Tick } from '../../../market/schema.js'
import { type BrokerContext, BrokerError } from '../../broker.js'
import { instrumentOf } from '../books/symbols.js'
import type { Units } from '../books/units.js'
import { BatchedRead, type BatchedReadOptions } from '../http/batched-read.js'
import { PriceBands } from './price-bands.js'
import { quoteOf, type ToldQuote } from './quote.js'

type Details = Partial<Pick<Tick, 'lastQuantity' | 'totalBuyQuantity' | 'totalSellQuantity'>>

/** What a broker tells of an instrument when it is asked: prices in rupees, quantities as the broker counts them. */
export interface AskedQuote extends ToldQuote, Readonly<Details> {
  readonly depth: Depth
  /** Epoch milliseconds of the last trade; 0 if there is none. */
  readonly timestamp: number
  /** Both 0 where the instrument has none. */
  readonly band?: PriceBand
}

interface BatchedQuotesOptions extends BatchedReadOptions<AskedQuote> {
  units: Units
  /** Names an instrument in a call. */
  keyOf: (instrument: Instrument) => string
}

/** Quotes of a broker that answers for many instruments in one call, and the price bands in them. */
export class BatchedQuotes {
  readonly #bands: PriceBands
  readonly #rows: BatchedRead<AskedQuote>

  constructor(
    private readonly context: Pick<BrokerContext, 'clock' | 'instruments'>,
    private readonly options: BatchedQuotesOptions,
  ) {
    const { size, turn } = options
    this.#bands = new PriceBands(context.clock)
    this.#rows = new BatchedRead({ size, turn, read: (keys) => this.#read(keys) })
  }

  /** See {@link BrokerMarket.quotes}. */
  async of(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]> {
    const { keyOf, units } = this.options
    const instruments = refs.map((ref) => this.context.instruments.find(ref.symbol, ref.exchange))
    const rows = await this.#rows.rows(instruments.filter((found) => found !== undefined).map(keyOf))
    return refs.map((ref, place) => {
      const instrument = instruments[place]
      if (!instrument) return { error: `Symbol ${ref.symbol} not found for exchange ${ref.exchange}` }
      const row = rows.get(keyOf(instrument))
      return row ? quoteOf(units, instrument, row, row.timestamp) : { error: noQuote(ref) }
    })
  }

  /** See {@link BrokerClient.priceBand}. Ticks carry no band, so it is that of the last quote. */
  priceBand({ symbol, exchange }: SymbolRef): PriceBand | null | undefined {
    const instrument = this.context.instruments.find(symbol, exchange)
    return instrument ? this.#bands.of(this.options.keyOf(instrument)) : null
  }

  /** See {@link BrokerMarket.depth}. @throws BrokerError `validation` for an unknown symbol, `not_found` without a quote */
  async depth(ref: SymbolRef): Promise<Quote & { depth: Depth } & Details> {
    const { keyOf, units } = this.options
    const instrument = instrumentOf(this.context, ref)
    const key = keyOf(instrument)
    const row = (await this.#rows.rows([key])).get(key)
    if (!row) throw new BrokerError('not_found', noQuote(ref), { sent: 'yes' })
    const { depth, lastQuantity, timestamp, totalBuyQuantity, totalSellQuantity } = row
    const counted = (count: number) => units.unitsOf(instrument, count)
    return {
      ...quoteOf(units, instrument, row, timestamp),
      depth: units.depthInUnits(instrument, depth),
      ...(lastQuantity !== undefined && { lastQuantity: counted(lastQuantity) }),
      ...(totalBuyQuantity !== undefined && { totalBuyQuantity: counted(totalBuyQuantity) }),
      ...(totalSellQuantity !== undefined && { totalSellQuantity: counted(totalSellQuantity) }),
    }
  }

  async #read(keys: readonly string[]): Promise<ReadonlyMap<string, AskedQuote>> {
    const rows = await this.options.read(keys).finally(() => this.#bands.noteAsked(keys))
    for (const [key, { band }] of rows) if (band) this.#bands.note(key, band)
    return rows
  }
}

function noQuote({ symbol, exchange }: SymbolRef): string {
  return `No quote for ${symbol} on ${exchange}`
}
