import type { Instrument } from '../../instruments/schema.js'
import type { Candle } from '../../market/schema.js'
import { fromMoney, toMoney } from '../../money/index.js'
import { addDays } from '../../time/index.js'
import type { BrokerContext } from '../broker.js'
import { unreadable } from '../kit/http/outcomes.js'
import { type AskedQuote, RestMarket } from '../kit/market/rest-market.js'
import type { DhanApi } from './api.js'
import { timeOf } from './auth.js'
import { manifest, QUOTE_BATCH } from './manifest.js'
import { UNITS } from './places.js'
import { bars, type DhanQuote, quoteMap, quoteRow } from './wire.js'
import { INTERVALS } from './words.js'

/** Quotes, depth and history over Dhan's REST API. They need a data plan. */
export function dhanMarket(api: DhanApi, context: BrokerContext) {
  return new RestMarket(context, {
    broker: manifest.displayName,
    units: UNITS,
    keyOf,
    size: QUOTE_BATCH,
    turn: () => api.quoteTurn(),
    read: (keys) => quotesOf(api, keys),
    intervals: INTERVALS,
    async bars({ from, instrument, interval, to }) {
      const json = {
        ...seriesOf(context, instrument),
        ...(interval.minutes === undefined ? { expiryCode: 0 } : { interval: interval.minutes }),
        oi: true,
        fromDate: from,
        // The last day does not belong to it.
        toDate: addDays(to, 1),
      }
      const path = interval.minutes === undefined ? '/charts/historical' : '/charts/intraday'
      return candlesOf(path, await api.call({ method: 'POST', path, json, callClass: 'history' }, bars))
    },
  })
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

/** Returns what names the series of bars; Dhan wants the kind of the instrument, too. */
function seriesOf({ instruments }: Pick<BrokerContext, 'instruments'>, instrument: Instrument) {
  const { brokerExchange: exchangeSegment, exchange, instrumentType, name, token: securityId } = instrument
  const isOption = instrumentType === 'CE' || instrumentType === 'PE'
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

/** Returns quotes by key. An instrument that Dhan does not know, or an unreadable row, has none. */
async function quotesOf(api: DhanApi, keys: readonly string[]): Promise<Map<string, AskedQuote>> {
  const asked: Record<string, number[]> = {}
  for (const [segment = '', id] of keys.map((key) => key.split(':'))) {
    const ids = asked[segment] ?? []
    asked[segment] = ids
    ids.push(Number(id))
  }
  const { data } = await api.quotes(asked, quoteMap)
  const rows = new Map<string, AskedQuote>()
  for (const key of keys) {
    const [segment = '', id = ''] = key.split(':')
    const row = quoteRow.safeParse(data[segment]?.[id])
    if (row.success) rows.set(key, askedQuote(row.data))
  }
  return rows
}

function keyOf({ brokerExchange, token }: Instrument): string {
  return `${brokerExchange}:${token}`
}

function askedQuote(row: DhanQuote): AskedQuote {
  return {
    ltp: row.last_price,
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    prevClose: previousCloseOf(row),
    volume: row.volume,
    oi: row.oi,
    timestamp: timeOf(row.last_trade_time) ?? 0,
    depth: row.depth,
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
function candlesOf(path: string, read: Bars): Candle[] {
  const valueAt = (list: readonly number[], place: number) => {
    const value = list[place]
    if (value !== undefined) return value
    throw unreadable(`POST ${path}`, 'the answer has lists of different lengths')
  }
  return read.timestamp.map((timestamp, place) => ({
    timestamp,
    open: valueAt(read.open, place),
    high: valueAt(read.high, place),
    low: valueAt(read.low, place),
    close: valueAt(read.close, place),
    volume: valueAt(read.volume, place),
    oi: read.open_interest?.[place] ?? 0,
  }))
}
