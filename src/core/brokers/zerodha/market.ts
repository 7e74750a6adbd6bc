import type { Instrument } from '../../instruments/schema.js'
import type { Candle, Depth, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import { type BrokerContext, BrokerError, type BrokerMarket } from '../broker.js'
import { dateSpans } from '../kit/books/date-spans.js'
import { PriceBands } from '../kit/books/price-bands.js'
import { timeOfStamp } from '../kit/books/stamps.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { BatchedRead } from '../kit/http/batched-read.js'
import { notSent } from '../kit/http/outcomes.js'
import { escapeSegment, type KiteApi } from './api.js'
import { QUOTE_BATCH } from './manifest.js'
import { INTERVALS } from './mappings.js'
import { depthInUnits, unitsOf } from './master/lots.js'
import { candles, type KiteQuote, quoteMap, quoteRow } from './wire.js'

const DEPTH_LEVELS = 5

/** Quotes, depth and history over Kite's REST API. */
export class KiteMarket implements BrokerMarket {
  readonly intervals = Object.keys(INTERVALS)
  readonly #api: KiteApi
  readonly #context: BrokerContext
  readonly #bands: PriceBands
  readonly #quotes: BatchedRead<KiteQuote>

  constructor(api: KiteApi, context: BrokerContext) {
    this.#api = api
    this.#context = context
    this.#bands = new PriceBands(context.clock)
    this.#quotes = new BatchedRead({
      size: QUOTE_BATCH,
      turn: () => api.quoteTurn(),
      read: (keys) => this.#quoteRows(keys),
    })
  }

  async quotes(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]> {
    const instruments = refs.map((ref) => this.#context.instruments.find(ref.symbol, ref.exchange))
    const rows = await this.#quotes.rows(instruments.filter((found) => found !== undefined).map(quoteKey))
    return refs.map((ref, index) => {
      const instrument = instruments[index]
      if (!instrument) return { error: `Symbol ${ref.symbol} not found for exchange ${ref.exchange}` }
      const row = rows.get(quoteKey(instrument))
      return row ? toQuote(instrument, row) : { error: `No quote for ${ref.symbol} on ${ref.exchange}` }
    })
  }

  /** See {@link BrokerClient.priceBand}. Ticks carry no band, so it is that of the last quote. */
  priceBand({ symbol, exchange }: SymbolRef): PriceBand | null | undefined {
    const instrument = this.#context.instruments.find(symbol, exchange)
    return instrument ? this.#bands.of(quoteKey(instrument)) : null
  }

  async depth(ref: SymbolRef): ReturnType<BrokerMarket['depth']> {
    const instrument = instrumentOf(this.#context, ref)
    const key = quoteKey(instrument)
    const row = (await this.#quotes.rows([key])).get(key)
    if (!row) {
      throw new BrokerError('not_found', `No quote for ${ref.symbol} on ${ref.exchange}`, { sent: 'yes' })
    }
    return {
      ...toQuote(instrument, row),
      depth: toDepth(instrument, row),
      lastQuantity: unitsOf(instrument, row.last_quantity),
      totalBuyQuantity: unitsOf(instrument, row.buy_quantity),
      totalSellQuantity: unitsOf(instrument, row.sell_quantity),
    }
  }

  async history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<Candle[]> {
    const interval = Object.hasOwn(INTERVALS, query.interval) ? INTERVALS[query.interval] : undefined
    if (!interval)
      throw notSent('validation', `Interval ${query.interval} is not one of ${this.intervals.join(', ')}.`)
    const instrument = instrumentOf(this.#context, query)
    const bars = new Map<number, Candle>()
    for (const { from, to } of dateSpans(query, interval.chunkDays)) {
      const path = `/instruments/historical/${escapeSegment(instrument.token)}/${interval.kite}`
      const data = await this.#api.get(path, candles, {
        from: `${from} 00:00:00`,
        to: `${to} 23:59:59`,
        oi: '1',
        continuous: '0',
      })
      for (const row of data.candles) {
        const bar = toCandle(instrument, row)
        bars.set(bar.timestamp, bar)
      }
    }
    return [...bars.values()].sort((a, b) => a.timestamp - b.timestamp)
  }

  /** Returns rows by key. An instrument that Kite does not know, or an unreadable row, has none. */
  async #quoteRows(keys: readonly string[]): Promise<Map<string, KiteQuote>> {
    const answer = await this.#api.quotes(keys, quoteMap).finally(() => this.#bands.noteAsked(keys))
    const rows = new Map<string, KiteQuote>()
    for (const key of keys) {
      const row = quoteRow.safeParse(answer[key])
      if (!row.success) continue
      rows.set(key, row.data)
      const { lower_circuit_limit: lower, upper_circuit_limit: upper } = row.data
      this.#bands.note(key, { lower, upper })
    }
    return rows
  }
}

function quoteKey(instrument: Instrument): string {
  return `${instrument.brokerExchange}:${instrument.brokerSymbol}`
}

function toQuote(instrument: Instrument, row: KiteQuote): Quote {
  const bid = row.depth.buy[0]
  const ask = row.depth.sell[0]
  return {
    symbol: instrument.symbol,
    exchange: instrument.exchange,
    ltp: row.last_price,
    bid: bid?.price ?? 0,
    ask: ask?.price ?? 0,
    bidSize: unitsOf(instrument, bid?.quantity ?? 0),
    askSize: unitsOf(instrument, ask?.quantity ?? 0),
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    prevClose: row.ohlc.close,
    volume: unitsOf(instrument, row.volume),
    oi: unitsOf(instrument, row.oi),
    timestamp: timeOfStamp(row.last_trade_time) || timeOfStamp(row.timestamp),
  }
}

function toDepth(instrument: Instrument, { depth }: KiteQuote): Depth {
  const { buy, sell } = depth
  return depthInUnits(instrument, { buy: buy.slice(0, DEPTH_LEVELS), sell: sell.slice(0, DEPTH_LEVELS) })
}

type CandleRow = readonly [string, number, number, number, number, number, ...(number | null)[]]

function toCandle(instrument: Instrument, [time, open, high, low, close, volume, oi]: CandleRow): Candle {
  return {
    timestamp: candleTime(time),
    open,
    high,
    low,
    close,
    volume: unitsOf(instrument, volume),
    oi: unitsOf(instrument, oi ?? 0),
  }
}

/** Converts `2017-12-15T09:15:00+0530` (whose zone has no colon) to epoch seconds. */
function candleTime(text: string): number {
  const ms = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
  if (Number.isNaN(ms)) throw new BrokerError('protocol', 'A candle has no readable time.', { sent: 'yes' })
  return ms / 1000
}
