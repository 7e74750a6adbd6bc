import { z } from 'zod'
import { EXCHANGES } from '../../../core/instruments/index.js'
import {
  depthView,
  type HistoryQuery,
  history,
  INTERVALS,
  intervalsByUnit,
  isDaily,
  noStoredBars,
  quoteView,
} from '../../../core/market/index.js'
import { isDate, Pace } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import { amount, count, ok, text } from '../common/answers.js'
import { noFields } from '../common/payloads.js'
import { keyed } from '../reads.js'
import { MARKET_REFUSALS } from './refusals.js'

const market = keyed('Market data', 'data')

/** The most symbols of one request: many times as many as a screen shows. */
const MAX_QUOTES = 5000
/** A list of bars whose JSON is made in several turns of the event loop, and the days of one turn. */
const MANY_BARS = 5_000
const DAYS_A_TURN = 4

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const exchange = fields.oneOf(EXCHANGES)
export const date = fields.text().refine(isDate, 'Not a valid date.')
export const interval = fields.oneOf(INTERVALS)

export const symbolPayload = z.strictObject({ symbol: fields.text(), exchange })
const multiQuotesPayload = z.strictObject({
  symbols: fields
    .list(symbolPayload)
    .min(1, 'Shorter than minimum length 1.')
    .max(MAX_QUOTES, `Longer than maximum length ${MAX_QUOTES}.`),
})
export const historyPayload = z.strictObject({
  symbol: fields.text(),
  exchange,
  interval,
  start_date: date,
  end_date: date,
  source: fields.oneOf(['api', 'db']).default('api'),
})

const day = {
  open: amount,
  high: amount,
  low: amount,
  ltp: amount,
  prev_close: amount,
  volume: amount,
  oi: amount,
}
const quote = z.strictObject({ ...day, ask: amount, bid: amount, bid_qty: amount, ask_qty: amount })
const named = { symbol: text, exchange: text }

const quotes = ok({ data: quote })
const multiQuotes = ok({
  results: z.array(
    z.union([
      z.strictObject({ ...named, data: quote }),
      z.strictObject({ ...named, error: text }).meta({ description: 'There is no quote.' }),
    ]),
  ),
})

const level = z.strictObject({ price: amount, quantity: amount })
const depth = ok({
  data: z.strictObject({
    ...day,
    asks: z.array(level),
    bids: z.array(level),
    ltq: amount,
    totalbuyqty: amount,
    totalsellqty: amount,
  }),
})

export const candles = ok({
  data: z.array(
    z.strictObject({
      timestamp: count.meta({ description: 'Start of the bar, in epoch seconds.' }),
      open: amount,
      high: amount,
      low: amount,
      close: amount,
      volume: amount,
      oi: amount,
    }),
  ),
})

const names = z.array(text)
const intervals = ok({
  data: z.strictObject({
    seconds: names,
    minutes: names,
    hours: names,
    days: names,
    weeks: names,
    months: names,
  }),
})

/** The operations of market data: quotes, depth and bars. */
export const PRICE_OPERATIONS = {
  'POST /api/v1/quotes': market('Returns the quote of one symbol.', {
    body: symbolPayload,
    example: SBIN,
    answer: quotes,
    errors: MARKET_REFUSALS,
    log: { as: 'quotes', refusals: true },
    tool: {
      name: 'get_quote',
      title: 'Get a quote',
      scope: 'read:market',
      toolset: 'marketdata',
      defaults: { exchange: 'NSE' },
    },
    run: async ({ listed }, { body }) => ({ status: 'success', data: quoteView(await listed.quote(body)) }),
  }),
  'POST /api/v1/multiquotes': market('Returns the quotes of many symbols, failed ones first.', {
    body: multiQuotesPayload,
    example: { symbols: [SBIN, { symbol: 'INFY', exchange: 'NSE' }] },
    answer: multiQuotes,
    sentAgain: true,
    errors: MARKET_REFUSALS,
    tool: {
      name: 'get_multi_quotes',
      title: 'Get several quotes',
      scope: 'read:market',
      toolset: 'marketdata',
    },
    run: ({ quoteAnswers }, { body }) => quoteAnswers.of(body.symbols),
  }),
  'POST /api/v1/depth': market('Returns five levels of the order book of one symbol.', {
    body: symbolPayload,
    example: SBIN,
    answer: depth,
    errors: MARKET_REFUSALS,
    log: { as: 'depth', refusals: true },
    tool: {
      name: 'get_market_depth',
      title: 'Get the order book of a symbol',
      scope: 'read:market',
      toolset: 'marketdata',
      defaults: { exchange: 'NSE' },
    },
    run: async ({ listed }, { body }) => ({ status: 'success', data: depthView(await listed.depth(body)) }),
  }),
  'POST /api/v1/history': market('Returns the bars of one symbol.', {
    body: historyPayload,
    example: {
      symbol: 'SBIN',
      exchange: 'NSE',
      interval: '1h',
      start_date: '2026-11-19',
      end_date: '2026-11-20',
    },
    answer: candles,
    errors: MARKET_REFUSALS,
    log: { as: 'history', refusals: true },
    run: async ({ barAnswers, clock, listed, market }, { body: { symbol, exchange, source, ...asked } }) => {
      const days = { from: asked.start_date, to: asked.end_date }
      const query: HistoryQuery = { symbol, exchange, interval: asked.interval, ...days }
      if (source === 'db') throw noStoredBars(query)
      const data = await history(listed, market, query)
      if (isDaily(query.interval)) return { status: 'success', data }
      const series = `${exchange}:${symbol}:${query.interval}`
      return data.length > MANY_BARS
        ? barAnswers.inTurns(series, data, new Pace(clock, DAYS_A_TURN))
        : barAnswers.of(series, data)
    },
  }),
  'POST /api/v1/intervals': market('Lists the bar intervals.', {
    body: noFields,
    answer: intervals,
    tool: {
      name: 'get_available_intervals',
      title: 'List the bar intervals',
      scope: 'read:market',
      toolset: 'marketdata',
    },
    run: ({ market }) => ({ status: 'success', data: intervalsByUnit(market.intervals()) }),
  }),
}
