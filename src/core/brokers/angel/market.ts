import { DERIVATIVE_EXCHANGES, type Instrument } from '../../instruments/schema.js'
import type { BrokerContext } from '../broker.js'
import { barTime } from '../kit/market/bars.js'
import { type AskedQuote, RestMarket } from '../kit/market/rest-market.js'
import { type AngelApi, SECURE } from './api.js'
import { manifest, QUOTE_BATCH } from './manifest.js'
import { UNITS } from './units.js'
import { angelTime, candles, interest, type QuoteRow, quoteRow, quotes } from './wire.js'
import { INTERVALS } from './words.js'

const QUOTE_CLASS = 'quote'
const HISTORY = `${SECURE}/historical/v1`

/** Quotes, depth and history over SmartAPI. */
export function angelMarket(api: AngelApi, context: BrokerContext) {
  return new RestMarket(context, {
    broker: manifest.displayName,
    units: UNITS,
    keyOf,
    size: QUOTE_BATCH,
    turn: () => api.turn(QUOTE_CLASS),
    read: (keys) => quotesOf(api, keys),
    intervals: INTERVALS,
    async bars({ from, instrument, interval, to }) {
      const json = {
        exchange: instrument.brokerExchange,
        symboltoken: instrument.token,
        fromdate: `${from} 00:00`,
        todate: `${to} 23:59`,
        interval: interval.word,
      }
      const rows = await api.ask(`${HISTORY}/getCandleData`, candles, { json, callClass: 'history' })
      const ois = rows.length > 0 ? await interestOf(api, instrument, json) : new Map<number, number>()
      return rows.map(([time, open, high, low, close, volume]) => {
        const timestamp = barTime(time)
        return { timestamp, open, high, low, close, volume, oi: ois.get(timestamp) ?? 0 }
      })
    },
  })
}

/** Returns the open interest of a contract's bars by their time; bars without it have none. */
async function interestOf(
  api: AngelApi,
  { exchange }: Instrument,
  json: object,
): Promise<Map<number, number>> {
  if (!DERIVATIVE_EXCHANGES.has(exchange)) return new Map()
  const rows = await api.ask(`${HISTORY}/getOIData`, interest, { json, callClass: 'history' })
  return new Map(rows.map(({ oi, time }) => [barTime(time), oi]))
}

/** Returns quotes by key. An instrument that Angel does not know, or an unreadable row, has none. */
async function quotesOf(api: AngelApi, keys: readonly string[]): Promise<Map<string, AskedQuote>> {
  const exchangeTokens: Record<string, string[]> = {}
  for (const key of keys) {
    const colon = key.indexOf(':')
    const exchange = key.slice(0, colon)
    exchangeTokens[exchange] = [...(exchangeTokens[exchange] ?? []), key.slice(colon + 1)]
  }
  const json = { mode: 'FULL', exchangeTokens }
  const asked = { json, callClass: QUOTE_CLASS, hasTurn: true }
  const fetched = await api.ask(`${SECURE}/market/v1/quote`, quotes, asked)
  const rows = new Map<string, AskedQuote>()
  for (const each of fetched) {
    const { data: row } = quoteRow.safeParse(each)
    if (row) rows.set(`${row.exchange}:${row.symbolToken}`, askedQuote(row))
  }
  return rows
}

function keyOf({ brokerExchange, token }: Instrument): string {
  return `${brokerExchange}:${token}`
}

function askedQuote(row: QuoteRow): AskedQuote {
  return {
    ltp: row.ltp,
    open: row.open,
    high: row.high,
    low: row.low,
    prevClose: row.close,
    volume: row.tradeVolume,
    oi: row.opnInterest,
    timestamp: angelTime(row.exchTradeTime) || angelTime(row.exchFeedTime),
    depth: row.depth,
    lastQuantity: row.lastTradeQty,
    totalBuyQuantity: row.totBuyQuan,
    totalSellQuantity: row.totSellQuan,
    band: { lower: row.lowerCircuit, upper: row.upperCircuit },
  }
}
