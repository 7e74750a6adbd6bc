import { DERIVATIVE_EXCHANGES, type Instrument } from '../../instruments/schema.js'
import type { Candle, Depth, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import type { BrokerContext, BrokerMarket } from '../broker.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { barTime, intervalOf } from '../kit/market/bars.js'
import { type AskedQuote, BatchedQuotes } from '../kit/market/batched-quotes.js'
import { type DateSpan, dateSpans } from '../kit/market/date-spans.js'
import { type AngelApi, SECURE } from './api.js'
import { QUOTE_BATCH } from './manifest.js'
import { UNITS } from './units.js'
import { angelTime, candles, interest, type QuoteRow, quoteRow, quotes } from './wire.js'
import { INTERVALS } from './words.js'

const QUOTE_CLASS = 'quote'
const HISTORY = `${SECURE}/historical/v1`
const DEPTH_LEVELS = 5

/** Quotes, depth and history over SmartAPI. */
export class AngelMarket implements BrokerMarket {
  readonly intervals = Object.keys(INTERVALS)
  readonly #api: AngelApi
  readonly #context: BrokerContext
  readonly #quotes: BatchedQuotes

  constructor(api: AngelApi, context: BrokerContext) {
    this.#api = api
    this.#context = context
    this.#quotes = new BatchedQuotes(context, {
      units: UNITS,
      keyOf,
      size: QUOTE_BATCH,
      turn: () => api.turn(QUOTE_CLASS),
      read: (keys) => this.#rows(keys),
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
    for (const span of dateSpans(query, interval.days)) {
      const json = { ...spanOf(instrument, span), interval: interval.word }
      const rows = await this.#api.ask(`${HISTORY}/getCandleData`, candles, { json, callClass: 'history' })
      const open = rows.length > 0 ? await this.#interest(instrument, json) : new Map<number, number>()
      for (const [time, open_, high, low, close, volume] of rows) {
        const timestamp = barTime(time)
        const units = (count: number) => UNITS.unitsOf(instrument, count)
        const oi = units(open.get(timestamp) ?? 0)
        bars.set(timestamp, { timestamp, open: open_, high, low, close, volume: units(volume), oi })
      }
    }
    return [...bars.values()].sort((a, b) => a.timestamp - b.timestamp)
  }

  /** Returns the open interest of a contract's bars by their time; bars without it have 0. */
  async #interest(instrument: Instrument, json: object): Promise<Map<number, number>> {
    if (!DERIVATIVE_EXCHANGES.has(instrument.exchange)) return new Map()
    const rows = await this.#api.ask(`${HISTORY}/getOIData`, interest, { json, callClass: 'history' })
    return new Map(rows.map(({ oi, time }) => [barTime(time), oi]))
  }

  /** Returns rows by key. An instrument that Angel does not know, or an unreadable row, has none. */
  async #rows(keys: readonly string[]): Promise<Map<string, AskedQuote>> {
    const exchangeTokens: Record<string, string[]> = {}
    for (const key of keys) {
      const colon = key.indexOf(':')
      const exchange = key.slice(0, colon)
      exchangeTokens[exchange] = [...(exchangeTokens[exchange] ?? []), key.slice(colon + 1)]
    }
    const json = { mode: 'FULL', exchangeTokens }
    const asked = { json, callClass: QUOTE_CLASS, hasTurn: true }
    const fetched = await this.#api.ask(`${SECURE}/market/v1/quote`, quotes, asked)
    const rows = new Map<string, AskedQuote>()
    for (const each of fetched) {
      const { data: row } = quoteRow.safeParse(each)
      if (row) rows.set(`${row.exchange}:${row.symbolToken}`, askedQuote(row))
    }
    return rows
  }
}

function keyOf({ brokerExchange, token }: Instrument): string {
  return `${brokerExchange}:${token}`
}

function spanOf({ brokerExchange, token }: Instrument, { from, to }: DateSpan) {
  return {
    exchange: brokerExchange,
    symboltoken: token,
    fromdate: `${from} 00:00`,
    todate: `${to} 23:59`,
  }
}

function askedQuote(row: QuoteRow): AskedQuote {
  const side = (levels: Depth['buy']) => levels.filter(({ price }) => price > 0).slice(0, DEPTH_LEVELS)
  return {
    ltp: row.ltp,
    open: row.open,
    high: row.high,
    low: row.low,
    prevClose: row.close,
    volume: row.tradeVolume,
    oi: row.opnInterest,
    timestamp: angelTime(row.exchTradeTime) || angelTime(row.exchFeedTime),
    depth: { buy: side(row.depth.buy), sell: side(row.depth.sell) },
    lastQuantity: row.lastTradeQty,
    totalBuyQuantity: row.totBuyQuan,
    totalSellQuantity: row.totSellQuan,
    band: { lower: row.lowerCircuit, upper: row.upperCircuit },
  }
}
