import type { Instrument } from '../../instruments/schema.js'
import type { Candle, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import type { BrokerContext, BrokerMarket } from '../broker.js'
import { timeOfStamp } from '../kit/books/stamps.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { barTime, intervalOf } from '../kit/market/bars.js'
import { type AskedQuote, BatchedQuotes } from '../kit/market/batched-quotes.js'
import { dateSpans } from '../kit/market/date-spans.js'
import { escapeSegment, type KiteApi } from './api.js'
import { QUOTE_BATCH } from './manifest.js'
import { INTERVALS } from './mappings.js'
import { UNITS, unitsOf } from './master/lots.js'
import { candles, type KiteQuote, quoteMap, quoteRow } from './wire.js'

const DEPTH_LEVELS = 5

/** Quotes, depth and history over Kite's REST API. */
export class KiteMarket implements BrokerMarket {
  readonly intervals = Object.keys(INTERVALS)
  readonly #api: KiteApi
  readonly #context: BrokerContext
  readonly #quotes: BatchedQuotes

  constructor(api: KiteApi, context: BrokerContext) {
    this.#api = api
    this.#context = context
    this.#quotes = new BatchedQuotes(context, {
      units: UNITS,
      keyOf: quoteKey,
      size: QUOTE_BATCH,
      turn: () => api.quoteTurn(),
      read: (keys) => this.#quoteRows(keys),
    })
  }

  quotes(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]> {
    return this.#quotes.of(refs)
  }

  /** See {@link BrokerClient.priceBand}. */
  priceBand(ref: SymbolRef): PriceBand | null | undefined {
    return this.#quotes.priceBand(ref)
  }

  depth(ref: SymbolRef): ReturnType<BrokerMarket['depth']> {
    return this.#quotes.depth(ref)
  }

  async history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<Candle[]> {
    const interval = intervalOf(INTERVALS, query.interval)
    const instrument = instrumentOf(this.#context, query)
    const bars = new Map<number, Candle>()
    for (const { from, to } of dateSpans(query, interval.chunkDays)) {
      const path = `/instruments/historical/${escapeSegment(instrument.token)}/${interval.kite}`
      const query = { from: `${from} 00:00:00`, to: `${to} 23:59:59`, oi: '1', continuous: '0' }
      const data = await this.#api.get(path, candles, { query })
      for (const row of data.candles) {
        const bar = toCandle(instrument, row)
        bars.set(bar.timestamp, bar)
      }
    }
    return [...bars.values()].sort((a, b) => a.timestamp - b.timestamp)
  }

  /** Returns rows by key. An instrument that Kite does not know, or an unreadable row, has none. */
  async #quoteRows(keys: readonly string[]): Promise<Map<string, AskedQuote>> {
    const answer = await this.#api.quotes(keys, quoteMap)
    const rows = new Map<string, AskedQuote>()
    for (const key of keys) {
      const row = quoteRow.safeParse(answer[key])
      if (row.success) rows.set(key, askedQuote(row.data))
    }
    return rows
  }
}

function quoteKey(instrument: Instrument): string {
  return `${instrument.brokerExchange}:${instrument.brokerSymbol}`
}

function askedQuote(row: KiteQuote): AskedQuote {
  const { buy, sell } = row.depth
  return {
    ltp: row.last_price,
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    prevClose: row.ohlc.close,
    volume: row.volume,
    oi: row.oi,
    timestamp: timeOfStamp(row.last_trade_time) || timeOfStamp(row.timestamp),
    depth: { buy: buy.slice(0, DEPTH_LEVELS), sell: sell.slice(0, DEPTH_LEVELS) },
    lastQuantity: row.last_quantity,
    totalBuyQuantity: row.buy_quantity,
    totalSellQuantity: row.sell_quantity,
    band: { lower: row.lower_circuit_limit, upper: row.upper_circuit_limit },
  }
}

type CandleRow = readonly [string, number, number, number, number, number, ...(number | null)[]]

function toCandle(instrument: Instrument, [time, open, high, low, close, volume, oi]: CandleRow): Candle {
  return {
    timestamp: barTime(time),
    open,
    high,
    low,
    close,
    volume: unitsOf(instrument, volume),
    oi: unitsOf(instrument, oi ?? 0),
  }
}
