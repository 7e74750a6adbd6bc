import type { Instrument } from '../../../instruments/schema.js'
import type { Candle, Depth, PriceBand, Quote, SymbolRef, Tick } from '../../../market/schema.js'
import { istDate } from '../../../time/index.js'
import { type BrokerContext, BrokerError, type BrokerMarket } from '../../broker.js'
import { instrumentOf } from '../books/symbols.js'
import type { Units } from '../books/units.js'
import { credible, credibleBook, isCrediblePrice } from '../feed/credible-tick.js'
import { BatchedRead, type BatchedReadOptions } from '../http/batched-read.js'
import { intervalOf } from './bars.js'
import { type DateSpan, dateSpans } from './date-spans.js'
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

/** What limits a call for bars of one size. */
interface BarLimits {
  /** The most days of one call. */
  readonly chunkDays: number
  /** The first day that the broker has. */
  readonly since?: string
}

/** Which bars one call is to read. */
export interface AskedBars<Interval> extends DateSpan {
  instrument: Instrument
  interval: Interval
}

interface RestMarketOptions<Interval extends BarLimits> extends BatchedReadOptions<AskedQuote> {
  /** The broker's name in messages. */
  broker: string
  units: Units
  /** Names an instrument in a call. */
  keyOf: (instrument: Instrument) => string
  /** The broker's words for our bar sizes. */
  intervals: Readonly<Record<string, Interval>>
  /** Reads bars, with quantities as the broker counts them. Those of other days, repeated or out of order, do no harm. */
  bars: (asked: AskedBars<Interval>) => Promise<readonly Candle[]>
}

/** The levels of an order book that count. */
const DEPTH_LEVELS = 5

/**
 * Quotes, order books and bars of a broker that is asked for them: quotes for many instruments in one call, with the price bands
 * in them, and bars in the spans that it allows.
 */
export class RestMarket<Interval extends BarLimits> implements BrokerMarket {
  readonly intervals: readonly string[]
  readonly #bands: PriceBands
  readonly #rows: BatchedRead<AskedQuote>

  constructor(
    private readonly context: Pick<BrokerContext, 'clock' | 'instruments'>,
    private readonly options: RestMarketOptions<Interval>,
  ) {
    const { intervals, size, turn } = options
    this.intervals = Object.keys(intervals)
    this.#bands = new PriceBands(context.clock)
    this.#rows = new BatchedRead({ size, turn, read: (keys) => this.#read(keys) })
  }

  /** See {@link BrokerMarket.quotes}. */
  async quotes(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]> {
    const { keyOf, units } = this.options
    const instruments = refs.map((ref) => this.context.instruments.find(ref.symbol, ref.exchange))
    const rows = await this.#rows.rows(instruments.filter((found) => found !== undefined).map(keyOf))
    return refs.map((ref, place) => {
      const instrument = instruments[place]
      if (!instrument) return { error: `Symbol ${ref.symbol} not found for exchange ${ref.exchange}` }
      const row = rows.get(keyOf(instrument))
      if (!row) return { error: noQuote(ref) }
      const { value } = credible(row, this.context.clock.now())
      return value
        ? quoteOf(units, instrument, value, value.timestamp)
        : { error: this.#incredible(ref, row) }
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
    const { value } = credible(row, this.context.clock.now())
    if (!value) throw new BrokerError('not_found', this.#incredible(ref, row), { sent: 'yes' })
    const { depth, lastQuantity, timestamp, totalBuyQuantity, totalSellQuantity } = value
    const counted = (count: number) => units.unitsOf(instrument, count)
    return {
      ...quoteOf(units, instrument, value, timestamp),
      depth: units.depthInUnits(instrument, depth),
      ...(lastQuantity !== undefined && { lastQuantity: counted(lastQuantity) }),
      ...(totalBuyQuantity !== undefined && { totalBuyQuantity: counted(totalBuyQuantity) }),
      ...(totalSellQuantity !== undefined && { totalSellQuantity: counted(totalSellQuantity) }),
    }
  }

  /** See {@link BrokerMarket.history}. @throws BrokerError `validation`, never sent, for another size or an unknown symbol */
  async history(query: SymbolRef & DateSpan & { interval: string }): Promise<Candle[]> {
    const { bars, intervals, units } = this.options
    const interval = intervalOf(intervals, query.interval)
    const instrument = instrumentOf(this.context, query)
    const from = interval.since !== undefined && query.from < interval.since ? interval.since : query.from
    const found = new Map<number, Candle>()
    for (const span of dateSpans({ from, to: query.to }, interval.chunkDays)) {
      for (const bar of await bars({ instrument, interval, ...span })) {
        const date = istDate(bar.timestamp * 1000)
        if (date < query.from || date > query.to) continue
        const volume = units.unitsOf(instrument, bar.volume)
        found.set(bar.timestamp, { ...bar, volume, oi: units.unitsOf(instrument, bar.oi) })
      }
    }
    return [...found.values()].sort((a, b) => a.timestamp - b.timestamp)
  }

  #incredible({ exchange, symbol }: SymbolRef, { ltp }: AskedQuote): string {
    return `${this.options.broker} gave a price of ${symbol} on ${exchange} that cannot be true: ${ltp}`
  }

  async #read(keys: readonly string[]): Promise<ReadonlyMap<string, AskedQuote>> {
    const rows = await this.options.read(keys).finally(() => this.#bands.noteAsked(keys))
    for (const [key, { band }] of rows) if (band && isBand(band)) this.#bands.note(key, band)
    return new Map([...rows].map(([key, row]) => [key, { ...row, depth: bestOf(row.depth) }]))
  }
}

/** A band that cannot be true would refuse every order, or none. */
function isBand({ lower, upper }: PriceBand): boolean {
  return isCrediblePrice(lower) && isCrediblePrice(upper)
}

/** Brokers fill up a side with empty levels, or send more than are shown. */
function bestOf(depth: Depth): Depth {
  const { buy, sell } = credibleBook(depth)
  const best = (side: Depth['buy']) => side.filter(({ price }) => price > 0).slice(0, DEPTH_LEVELS)
  return { buy: best(buy), sell: best(sell) }
}

function noQuote({ symbol, exchange }: SymbolRef): string {
  return `No quote for ${symbol} on ${exchange}`
}
