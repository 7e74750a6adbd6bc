import { fromMoney, toMoney } from '../../money/index.js'
import type { BrokerContext } from '../broker.js'
import { instantOf } from '../kit/books/stamps.js'
import { type AskedQuote, RestMarket } from '../kit/market/rest-market.js'
import type { UpstoxApi } from './api.js'
import { UNITS } from './contracts.js'
import { barsOf } from './history.js'
import { manifest, QUOTE_BATCH } from './manifest.js'
import { INTERVALS } from './mappings.js'
import { quoteMap, quoteRow, type UpstoxQuote } from './wire.js'

/** Quotes, depth and history over Upstox's REST API. */
export function upstoxMarket(api: UpstoxApi, context: BrokerContext) {
  return new RestMarket(context, {
    broker: manifest.displayName,
    units: UNITS,
    keyOf: ({ token }) => token,
    size: QUOTE_BATCH,
    turn: () => api.turn(),
    read: (keys) => quotesOf(api, keys),
    intervals: INTERVALS,
    bars: (asked) => barsOf(api, context, asked),
  })
}

/** Returns quotes by key. Upstox names them in another way, so each counts by the key in it. */
async function quotesOf(api: UpstoxApi, keys: readonly string[]): Promise<Map<string, AskedQuote>> {
  const query = { instrument_key: keys.join(',') }
  const answer = await api.get('/v2/market-quote/quotes', quoteMap, { query, hasTurn: true })
  const rows = new Map<string, AskedQuote>()
  for (const value of Object.values(answer)) {
    const row = quoteRow.safeParse(value)
    if (row.success) rows.set(row.data.instrument_token, askedQuote(row.data))
  }
  return rows
}

function askedQuote(row: UpstoxQuote): AskedQuote {
  const { last_price: ltp, net_change: change } = row
  return {
    ltp,
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    // Its `close` is today's.
    prevClose: change === null || change === undefined ? 0 : fromMoney(toMoney(ltp) - toMoney(change)),
    volume: row.volume,
    oi: row.oi,
    timestamp: Number(row.last_trade_time) || instantOf(row.timestamp),
    depth: row.depth,
    totalBuyQuantity: row.total_buy_quantity,
    totalSellQuantity: row.total_sell_quantity,
    band: { lower: row.lower_circuit_limit, upper: row.upper_circuit_limit },
  }
}
