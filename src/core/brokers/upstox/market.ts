import type { Candle, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import { fromMoney, toMoney } from '../../money/index.js'
import type { BrokerContext, BrokerMarket } from '../broker.js'
import { type AskedQuote, BatchedQuotes } from '../kit/market/batched-quotes.js'
import type { UpstoxApi } from './api.js'
import { UNITS } from './contracts.js'
import { History } from './history.js'
import { QUOTE_BATCH } from './manifest.js'
import { INTERVALS } from './mappings.js'
import { quoteMap, quoteRow, type UpstoxQuote } from './wire.js'

const DEPTH_LEVELS = 5

/** Quotes, depth and history over Upstox's REST API. */
export class UpstoxMarket implements BrokerMarket {
  readonly intervals = Object.keys(INTERVALS)
  readonly #api: UpstoxApi
  readonly #quotes: BatchedQuotes
  readonly #history: History

  constructor(api: UpstoxApi, context: BrokerContext) {
    this.#api = api
    this.#history = new History(api, context)
    this.#quotes = new BatchedQuotes(context, {
      units: UNITS,
      keyOf: ({ token }) => token,
      size: QUOTE_BATCH,
      turn: () => api.turn(),
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

  history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<Candle[]> {
    return this.#history.read(query)
  }

  /** Returns rows by key. Upstox names them in another way, so each counts by the key in it. */
  async #quoteRows(keys: readonly string[]): Promise<Map<string, AskedQuote>> {
    const query = { instrument_key: keys.join(',') }
    const answer = await this.#api.get('/v2/market-quote/quotes', quoteMap, { query, hasTurn: true })
    const rows = new Map<string, AskedQuote>()
    for (const value of Object.values(answer)) {
      const row = quoteRow.safeParse(value)
      if (row.success) rows.set(row.data.instrument_token, askedQuote(row.data))
    }
    return rows
  }
}

function askedQuote(row: UpstoxQuote): AskedQuote {
  const { last_price: ltp, net_change: change } = row
  // Upstox fills up a side with empty levels.
  const side = (levels: UpstoxQuote['depth']['buy']) =>
    levels.filter(({ price }) => price > 0).slice(0, DEPTH_LEVELS)
  return {
    ltp,
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    // Its `close` is today's.
    prevClose: change === null || change === undefined ? 0 : fromMoney(toMoney(ltp) - toMoney(change)),
    volume: row.volume,
    oi: row.oi,
    timestamp: Number(row.last_trade_time) || Date.parse(row.timestamp) || 0,
    depth: { buy: side(row.depth.buy), sell: side(row.depth.sell) },
    totalBuyQuantity: row.total_buy_quantity,
    totalSellQuantity: row.total_sell_quantity,
    band: { lower: row.lower_circuit_limit, upper: row.upper_circuit_limit },
  }
}
