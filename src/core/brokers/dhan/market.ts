import type { Instrument } from '../../instruments/schema.js'
import type { Candle, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import { fromMoney, toMoney } from '../../money/index.js'
import { addDays, istDate } from '../../time/index.js'
import type { BrokerContext, BrokerMarket } from '../broker.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { unreadable } from '../kit/http/outcomes.js'
import { intervalOf } from '../kit/market/bars.js'
import { type AskedQuote, BatchedQuotes } from '../kit/market/batched-quotes.js'
import { dateSpans } from '../kit/market/date-spans.js'
import type { DhanApi } from './api.js'
import { timeOf } from './auth.js'
import { QUOTE_BATCH } from './manifest.js'
import { UNITS } from './places.js'
import { bars, type DhanQuote, quoteMap, quoteRow } from './wire.js'
import { INTERVALS } from './words.js'

const DEPTH_LEVELS = 5

/** Quotes, depth and history over Dhan's REST API. They need a data plan. */
export class DhanMarket implements BrokerMarket {
  readonly intervals = Object.keys(INTERVALS)
  readonly #quotes: BatchedQuotes

  constructor(
    private readonly api: DhanApi,
    private readonly context: BrokerContext,
  ) {
    this.#quotes = new BatchedQuotes(context, {
      units: UNITS,
      keyOf,
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
    const instrument = instrumentOf(this.context, query)
    const found = new Map<number, Candle>()
    for (const { from, to } of dateSpans(query, interval.chunkDays)) {
      const json = {
        ...this.#seriesOf(instrument),
        ...(interval.minutes === undefined ? { expiryCode: 0 } : { interval: interval.minutes }),
        oi: true,
        fromDate: from,
        // The last day does not belong to it.
        toDate: addDays(to, 1),
      }
      const path = interval.minutes === undefined ? '/charts/historical' : '/charts/intraday'
      const read = await this.api.call({ method: 'POST', path, json, callClass: 'history' }, bars)
      for (const bar of candlesOf(path, instrument, read)) {
        const day = istDate(bar.timestamp * 1000)
        if (day >= query.from && day <= query.to) found.set(bar.timestamp, bar)
      }
    }
    return [...found.values()].sort((a, b) => a.timestamp - b.timestamp)
  }

  /** Returns what names the series of bars; Dhan wants the kind of the instrument, too. */
  #seriesOf(instrument: Instrument) {
    const { brokerExchange: exchangeSegment, exchange, instrumentType, name, token: securityId } = instrument
    const isOption = instrumentType === 'CE' || instrumentType === 'PE'
    const { instruments } = this.context
    const isOnIndex = INDEX_EXCHANGES.some((index) => instruments.find(name, index) !== undefined)
    const kinds = isOption ? OPTIONS : FUTURES
    const kind = exchange === 'NFO' || exchange === 'BFO' ? (isOnIndex ? 'index' : 'stock') : exchange
    const contract = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    return {
      securityId,
      exchangeSegment,
      instrument: contract ?? (instrumentType === 'INDEX' ? 'INDEX' : 'EQUITY'),
    }
  }

  /** Returns rows by key. An instrument that Dhan does not know, or an unreadable row, has none. */
  async #quoteRows(keys: readonly string[]): Promise<Map<string, AskedQuote>> {
    const asked: Record<string, number[]> = {}
    for (const [segment = '', id] of keys.map((key) => key.split(':'))) {
      const ids = asked[segment] ?? []
      asked[segment] = ids
      ids.push(Number(id))
    }
    const { data } = await this.api.quotes(asked, quoteMap)
    const rows = new Map<string, AskedQuote>()
    for (const key of keys) {
      const [segment = '', id = ''] = key.split(':')
      const row = quoteRow.safeParse(data[segment]?.[id])
      if (row.success) rows.set(key, askedQuote(row.data))
    }
    return rows
  }
}

const INDEX_EXCHANGES = ['NSE_INDEX', 'BSE_INDEX'] as const
/** Dhan's kinds of contracts, by exchange or, of shares and indices, by the underlying. */
const FUTURES: Readonly<Record<string, string>> = {
  index: 'FUTIDX',
  stock: 'FUTSTK',
  MCX: 'FUTCOM',
  CDS: 'FUTCUR',
  BCD: 'FUTCUR',
}
const OPTIONS: Readonly<Record<string, string>> = {
  index: 'OPTIDX',
  stock: 'OPTSTK',
  MCX: 'OPTFUT',
  CDS: 'OPTCUR',
  BCD: 'OPTCUR',
}

function keyOf({ brokerExchange, token }: Instrument): string {
  return `${brokerExchange}:${token}`
}

function askedQuote(row: DhanQuote): AskedQuote {
  const { buy, sell } = row.depth
  return {
    ltp: row.last_price,
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    prevClose: previousCloseOf(row),
    volume: row.volume,
    oi: row.oi,
    timestamp: timeOf(row.last_trade_time) ?? 0,
    depth: { buy: buy.slice(0, DEPTH_LEVELS), sell: sell.slice(0, DEPTH_LEVELS) },
    lastQuantity: row.last_quantity,
    totalBuyQuantity: row.buy_quantity,
    totalSellQuantity: row.sell_quantity,
    band: { lower: row.lower_circuit_limit, upper: row.upper_circuit_limit },
  }
}

/** The close of a row is that of the day once it has ended, so the change tells the one before, if there is one. */
function previousCloseOf({ last_price: ltp, net_change: change, ohlc }: DhanQuote): number {
  return change === 0 ? ohlc.close : fromMoney(toMoney(ltp) - toMoney(change))
}

type Bars = ReturnType<typeof bars.parse>

/** @throws BrokerError `protocol` if a list is shorter than that of the times */
function candlesOf(path: string, instrument: Instrument, read: Bars): Candle[] {
  return read.timestamp.map((timestamp, place) => {
    const [open, high, low, close] = [read.open, read.high, read.low, read.close].map((list) => list[place])
    const volume = read.volume[place]
    if (
      open === undefined ||
      high === undefined ||
      low === undefined ||
      close === undefined ||
      volume === undefined
    )
      throw unreadable(`POST ${path}`, 'the answer has lists of different lengths')
    const oi = read.open_interest?.[place] ?? 0
    return {
      timestamp,
      open,
      high,
      low,
      close,
      volume: UNITS.unitsOf(instrument, volume),
      oi: UNITS.unitsOf(instrument, oi),
    }
  })
}
