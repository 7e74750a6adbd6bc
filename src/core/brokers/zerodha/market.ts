import type { Instrument } from '../../instruments/schema.js'
import type { BrokerContext } from '../broker.js'
import { timeOfStamp } from '../kit/books/stamps.js'
import { barTime } from '../kit/market/bars.js'
import { type AskedQuote, RestMarket } from '../kit/market/rest-market.js'
import type { KiteApi } from './api.js'
import { manifest, QUOTE_BATCH } from './manifest.js'
import { INTERVALS } from './mappings.js'
import { UNITS } from './master/lots.js'
import { candles, type KiteQuote, quoteMap, quoteRow } from './wire.js'

/** Quotes, depth and history over Kite's REST API. */
export function kiteMarket(api: KiteApi, context: BrokerContext) {
  return new RestMarket(context, {
    broker: manifest.displayName,
    units: UNITS,
    keyOf: quoteKey,
    size: QUOTE_BATCH,
    turn: () => api.quoteTurn(),
    read: (keys) => quotesOf(api, keys),
    intervals: INTERVALS,
    async bars({ from, instrument, interval, to }) {
      const path = `/instruments/historical/${encodeURIComponent(instrument.token)}/${interval.kite}`
      const days = { from: `${from} 00:00:00`, to: `${to} 23:59:59` }
      const read = await api.get(path, candles, { query: { ...days, oi: '1', continuous: '0' } })
      return read.candles.map(([time, open, high, low, close, volume, oi]) => ({
        timestamp: barTime(time),
        open,
        high,
        low,
        close,
        volume,
        oi: oi ?? 0,
      }))
    },
  })
}

/** Returns quotes by key. An instrument that Kite does not know, or an unreadable row, has none. */
async function quotesOf(api: KiteApi, keys: readonly string[]): Promise<Map<string, AskedQuote>> {
  const answer = await api.quotes(keys, quoteMap)
  const rows = new Map<string, AskedQuote>()
  for (const key of keys) {
    const row = quoteRow.safeParse(answer[key])
    if (row.success) rows.set(key, askedQuote(row.data))
  }
  return rows
}

function quoteKey(instrument: Instrument): string {
  return `${instrument.brokerExchange}:${instrument.brokerSymbol}`
}

function askedQuote(row: KiteQuote): AskedQuote {
  return {
    ltp: row.last_price,
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    prevClose: row.ohlc.close,
    volume: row.volume,
    oi: row.oi,
    timestamp: timeOfStamp(row.last_trade_time) || timeOfStamp(row.timestamp),
    depth: row.depth,
    lastQuantity: row.last_quantity,
    totalBuyQuantity: row.buy_quantity,
    totalSellQuantity: row.sell_quantity,
    band: { lower: row.lower_circuit_limit, upper: row.upper_circuit_limit },
  }
}
