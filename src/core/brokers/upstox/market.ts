import type { Instrument } from '../../instruments/schema.js'
import type { Candle, Depth, PriceBand, Quote, SymbolRef } from '../../market/schema.js'
import { fromMoney, toMoney } from '../../money/index.js'
import { type BrokerContext, BrokerError, type BrokerMarket } from '../broker.js'
import { PriceBands } from '../kit/books/price-bands.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { BatchedRead } from '../kit/http/batched-read.js'
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
  readonly #context: BrokerContext
  readonly #api: UpstoxApi
  readonly #bands: PriceBands
  readonly #quotes: BatchedRead<UpstoxQuote>
  readonly #history: History

  constructor(api: UpstoxApi, context: BrokerContext) {
    this.#context = context
    this.#api = api
    this.#bands = new PriceBands(context.clock)
    this.#history = new History(api, context)
    this.#quotes = new BatchedRead({
      size: QUOTE_BATCH,
      turn: () => api.turn(),
      read: (keys) => this.#quoteRows(keys),
    })
  }

  async quotes(refs: readonly SymbolRef[]): Promise<(Quote | { error: string })[]> {
    const instruments = refs.map((ref) => this.#context.instruments.find(ref.symbol, ref.exchange))
    const rows = await this.#quotes.rows(instruments.flatMap((found) => found?.token ?? []))
    return refs.map((ref, index) => {
      const instrument = instruments[index]
      if (!instrument) return { error: `Symbol ${ref.symbol} not found for exchange ${ref.exchange}` }
      const row = rows.get(instrument.token)
      return row ? toQuote(instrument, row) : { error: `No quote for ${ref.symbol} on ${ref.exchange}` }
    })
  }

  /** See {@link BrokerClient.priceBand}. Ticks carry no band, so it is that of the last quote. */
  priceBand({ symbol, exchange }: SymbolRef): PriceBand | null | undefined {
    const instrument = this.#context.instruments.find(symbol, exchange)
    return instrument ? this.#bands.of(instrument.token) : null
  }

  async depth(ref: SymbolRef): ReturnType<BrokerMarket['depth']> {
    const instrument = instrumentOf(this.#context, ref)
    const row = (await this.#quotes.rows([instrument.token])).get(instrument.token)
    if (!row) {
      throw new BrokerError('not_found', `No quote for ${ref.symbol} on ${ref.exchange}`, { sent: 'yes' })
    }
    return {
      ...toQuote(instrument, row),
      depth: toDepth(instrument, row),
      totalBuyQuantity: UNITS.unitsOf(instrument, row.total_buy_quantity),
      totalSellQuantity: UNITS.unitsOf(instrument, row.total_sell_quantity),
    }
  }

  history(query: SymbolRef & { interval: string; from: string; to: string }): Promise<Candle[]> {
    return this.#history.read(query)
  }

  /** Returns rows by key. Upstox names them in another way, so each counts by the key in it. */
  async #quoteRows(keys: readonly string[]): Promise<Map<string, UpstoxQuote>> {
    const query = { instrument_key: keys.join(',') }
    const answer = await this.#api
      .get('/v2/market-quote/quotes', quoteMap, { query, hasTurn: true })
      .finally(() => this.#bands.noteAsked(keys))
    const rows = new Map<string, UpstoxQuote>()
    for (const value of Object.values(answer)) {
      const row = quoteRow.safeParse(value)
      if (!row.success) continue
      rows.set(row.data.instrument_token, row.data)
      this.#bands.note(row.data.instrument_token, bandOf(row.data))
    }
    return rows
  }
}

/** Upstox sends 0 where there is none. */
function bandOf({ lower_circuit_limit: lower, upper_circuit_limit: upper }: UpstoxQuote): PriceBand {
  return { lower, upper }
}

function toQuote(instrument: Instrument, row: UpstoxQuote): Quote {
  const { buy, sell } = toDepth(instrument, row)
  const { last_price: ltp, net_change: change } = row
  return {
    symbol: instrument.symbol,
    exchange: instrument.exchange,
    ltp,
    bid: buy[0]?.price ?? 0,
    ask: sell[0]?.price ?? 0,
    bidSize: buy[0]?.quantity ?? 0,
    askSize: sell[0]?.quantity ?? 0,
    open: row.ohlc.open,
    high: row.ohlc.high,
    low: row.ohlc.low,
    // Its `close` is today's.
    prevClose: change === null || change === undefined ? 0 : fromMoney(toMoney(ltp) - toMoney(change)),
    volume: UNITS.unitsOf(instrument, row.volume),
    oi: UNITS.unitsOf(instrument, row.oi),
    timestamp: Number(row.last_trade_time) || Date.parse(row.timestamp) || 0,
  }
}

/** Upstox fills up a side with empty levels. */
function toDepth(instrument: Instrument, { depth }: UpstoxQuote): Depth {
  const side = (levels: UpstoxQuote['depth']['buy']) =>
    levels.filter(({ price }) => price > 0).slice(0, DEPTH_LEVELS)
  return UNITS.depthInUnits(instrument, { buy: side(depth.buy), sell: side(depth.sell) })
}
