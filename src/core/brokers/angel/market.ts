import { DERIVATIVE_EXCHANGES, type Instrument } from '../../instruments/schema.js'
import type { Candle, Depth, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import { type BrokerContext, BrokerError, type BrokerMarket } from '../broker.js'
import { type DateSpan, dateSpans } from '../kit/books/date-spans.js'
import { PriceBands } from '../kit/books/price-bands.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { BatchedRead } from '../kit/http/batched-read.js'
import { notSent } from '../kit/http/outcomes.js'
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
  readonly #bands: PriceBands
  readonly #quotes: BatchedRead<QuoteRow>

  constructor(api: AngelApi, context: BrokerContext) {
    this.#api = api
    this.#context = context
    this.#bands = new PriceBands(context.clock)
    this.#quotes = new BatchedRead({
      size: QUOTE_BATCH,
      turn: () => api.turn(QUOTE_CLASS),
      read: (keys) => this.#rows(keys),
    })
  }

  async quotes(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]> {
    const found = refs.map(({ exchange, symbol }) => this.#context.instruments.find(symbol, exchange))
    const rows = await this.#quotes.rows(found.filter((each) => each !== undefined).map(keyOf))
    return refs.map(({ exchange, symbol }, place) => {
      const instrument = found[place]
      if (!instrument) return { error: `Symbol ${symbol} not found for exchange ${exchange}` }
      const row = rows.get(keyOf(instrument))
      return row ? toQuote(instrument, row) : { error: `No quote for ${symbol} on ${exchange}` }
    })
  }

  /** See {@link BrokerClient.priceBand}: that of the last quote. */
  priceBand({ exchange, symbol }: SymbolRef): PriceBand | null | undefined {
    const instrument = this.#context.instruments.find(symbol, exchange)
    return instrument ? this.#bands.of(keyOf(instrument)) : null
  }

  async depth(ref: SymbolRef): ReturnType<BrokerMarket['depth']> {
    const instrument = instrumentOf(this.#context, ref)
    const key = keyOf(instrument)
    const row = (await this.#quotes.rows([key])).get(key)
    if (!row)
      throw new BrokerError('not_found', `No quote for ${ref.symbol} on ${ref.exchange}`, { sent: 'yes' })
    return {
      ...toQuote(instrument, row),
      depth: toDepth(instrument, row),
      lastQuantity: UNITS.unitsOf(instrument, row.lastTradeQty),
      totalBuyQuantity: UNITS.unitsOf(instrument, row.totBuyQuan),
      totalSellQuantity: UNITS.unitsOf(instrument, row.totSellQuan),
    }
  }

  async history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<Candle[]> {
    const interval = Object.hasOwn(INTERVALS, query.interval) ? INTERVALS[query.interval] : undefined
    if (!interval)
      throw notSent('validation', `Interval ${query.interval} is not one of ${this.intervals.join(', ')}.`)
    const instrument = instrumentOf(this.#context, query)
    const bars = new Map<number, Candle>()
    for (const span of dateSpans(query, interval.days)) {
      const json = { ...spanOf(instrument, span), interval: interval.word }
      const rows = await this.#api.ask(`${HISTORY}/getCandleData`, candles, { json, callClass: 'history' })
      const open = rows.length > 0 ? await this.#interest(instrument, json) : new Map<number, number>()
      for (const [time, open_, high, low, close, volume] of rows) {
        const timestamp = secondsOf(time)
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
    return new Map(rows.map(({ oi, time }) => [secondsOf(time), oi]))
  }

  /** Returns rows by key. An instrument that Angel does not know, or an unreadable row, has none. */
  async #rows(keys: readonly string[]): Promise<Map<string, QuoteRow>> {
    const exchangeTokens: Record<string, string[]> = {}
    for (const key of keys) {
      const colon = key.indexOf(':')
      const exchange = key.slice(0, colon)
      exchangeTokens[exchange] = [...(exchangeTokens[exchange] ?? []), key.slice(colon + 1)]
    }
    const json = { mode: 'FULL', exchangeTokens }
    const asked = { json, callClass: QUOTE_CLASS, hasTurn: true }
    const fetched = await this.#api
      .ask(`${SECURE}/market/v1/quote`, quotes, asked)
      .finally(() => this.#bands.noteAsked(keys))
    const rows = new Map<string, QuoteRow>()
    for (const each of fetched) {
      const { data: row } = quoteRow.safeParse(each)
      if (!row) continue
      const key = `${row.exchange}:${row.symbolToken}`
      rows.set(key, row)
      this.#bands.note(key, { lower: row.lowerCircuit, upper: row.upperCircuit })
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

function toDepth(instrument: Instrument, { depth }: QuoteRow): Depth {
  const side = (levels: Depth['buy']) => levels.filter(({ price }) => price > 0).slice(0, DEPTH_LEVELS)
  return UNITS.depthInUnits(instrument, { buy: side(depth.buy), sell: side(depth.sell) })
}

function toQuote(instrument: Instrument, row: QuoteRow): Quote {
  const { buy, sell } = toDepth(instrument, row)
  const [bid, ask] = [buy[0], sell[0]]
  return {
    symbol: instrument.symbol,
    exchange: instrument.exchange,
    ltp: row.ltp,
    bid: bid?.price ?? 0,
    ask: ask?.price ?? 0,
    bidSize: bid?.quantity ?? 0,
    askSize: ask?.quantity ?? 0,
    open: row.open,
    high: row.high,
    low: row.low,
    prevClose: row.close,
    volume: UNITS.unitsOf(instrument, row.tradeVolume),
    oi: UNITS.unitsOf(instrument, row.opnInterest),
    timestamp: angelTime(row.exchTradeTime) || angelTime(row.exchFeedTime),
  }
}

/** Converts the time of a bar, ISO 8601 with its zone, to epoch seconds. */
function secondsOf(time: string): number {
  const ms = Date.parse(time)
  if (Number.isNaN(ms)) throw new BrokerError('protocol', 'A candle has no readable time.', { sent: 'yes' })
  return ms / 1000
}
