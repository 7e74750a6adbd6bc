import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { ServiceError, validationError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import { EXCHANGES } from '../../core/instruments/index.js'
import {
  type Candle,
  daysBefore,
  depthView,
  history,
  INTERVALS,
  intervalsByUnit,
  isDaily,
  isDate,
  type ListedMarket,
  type MarketData,
  noStoredBars,
  quoteView,
} from '../../core/market/index.js'
import { istDateTime } from '../../core/time/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { parseKeyed, plainRefusals, read } from '../http/api-route.js'
import { readApiQuery } from '../middleware/api-key.js'

export interface MarketRoutesParts {
  identity: Identity
  market: MarketData
  listed: ListedMarket
}

/** Symbols of one question: what a screen shows, many times over. */
const MAX_QUOTES = 5000

const apikey = fields.apiKeyField()
const symbolFields = { symbol: fields.text(), exchange: fields.oneOf(EXCHANGES) }
const date = fields.text().refine(isDate, 'Not a valid date.')
const interval = fields.oneOf(INTERVALS)

export const symbolBody = z.strictObject({ apikey, ...symbolFields })
export const multiQuotesBody = z.strictObject({
  apikey,
  symbols: fields
    .list(z.strictObject(symbolFields))
    .min(1, 'Shorter than minimum length 1.')
    .max(MAX_QUOTES, `Longer than maximum length ${MAX_QUOTES}.`),
})
export const historyBody = z.strictObject({
  apikey,
  ...symbolFields,
  interval,
  start_date: date,
  end_date: date,
  source: fields.oneOf(['api', 'db']).default('api'),
})
export const intervalsBody = z.strictObject({ apikey })
export const tickerQuery = z.object({
  apikey,
  from: date,
  to: date,
  interval: interval.default('D'),
  format: fields.oneOf(['json', 'txt']).default('json'),
  /** Named by the interface, without effect. */
  adjusted: fields.text().optional(),
  sort: fields.text().optional(),
})
const tickerPath = z.strictObject(symbolFields)

/** Days before the last one that a ticker shows at the most; an earlier start is moved up. */
const TICKER_DAYS = { daily: 3650, intraday: 30 } as const

/** Paths below `/api/v1` that read prices and instruments: limited alike, each by itself. */
export const DATA_PATHS = [
  ...['quotes', 'multiquotes', 'depth', 'history', 'intervals', 'ticker/*', 'chart'],
  ...['symbol', 'search', 'expiry', 'instruments'],
  ...['optionsymbol', 'optionchain', 'syntheticfuture', 'multioptiongreeks'],
] as const

/** Paths with the limit of the Greeks. */
export const GREEKS_PATHS = ['optiongreeks'] as const

export type MarketReadsParts = Pick<MarketRoutesParts, 'market' | 'listed'>

/** What these endpoints answer, for whoever asks: a request, or a node of a workflow. */
export function marketReads({ market, listed }: MarketReadsParts) {
  return {
    quotes: read(symbolBody, async (ref) => ({ data: quoteView(await listed.quote(ref)) })),
    multiquotes: read(multiQuotesBody, async ({ symbols }) => ({
      results: await multiQuotes(listed, symbols),
    })),
    depth: read(symbolBody, async (ref) => ({ data: depthView(await listed.depth(ref)) })),
    history: read(historyBody, async ({ symbol, exchange, source, ...asked }) => {
      const query = {
        symbol,
        exchange,
        interval: asked.interval,
        from: asked.start_date,
        to: asked.end_date,
      }
      if (source === 'db') throw noStoredBars(query)
      return { data: await history(listed, market, query) }
    }),
    intervals: read(intervalsBody, () => ({ data: intervalsByUnit(market.intervals()) })),
  }
}

/** Market data endpoints of `/api/v1` (contract, api-market section 2). */
export function marketRoutes(parts: MarketRoutesParts): Hono<AppEnv> {
  const { identity } = parts
  const reads = marketReads(parts)
  return new Hono<AppEnv>()
    .post('/quotes', reads.quotes.route(identity))
    .post('/multiquotes', reads.multiquotes.route(identity))
    .post('/depth', reads.depth.route(identity))
    .post('/history', reads.history.route(identity))
    .post('/intervals', reads.intervals.route(identity))
    .get('/ticker/:ticker', (c) => {
      const answer = () => ticker(c, parts)
      return c.req.query('format') === 'txt' ? plainRefusals(c, answer) : answer()
    })
}

type Ref = z.output<typeof tickerPath>

/** What failed first, then the quotes; @throws ServiceError when nothing is left to quote */
async function multiQuotes(listed: ListedMarket, symbols: readonly Ref[]) {
  const answers = await listed.quotes(symbols)
  const rows = symbols.map((ref, place) => {
    const answer = answers[place] ?? { error: 'The broker gave no quote' }
    return 'error' in answer ? { ...ref, error: answer.error } : { ...ref, data: quoteView(answer) }
  })
  const isUnlisted = symbols.map((ref) => !listed.isListed(ref))
  const unlisted = rows.filter((_, place) => isUnlisted[place])
  const [first] = unlisted
  if (first && unlisted.length === rows.length && 'error' in first) {
    throw new ServiceError('validation', first.error, { extra: { invalid_symbols: unlisted } })
  }
  return [...unlisted, ...rows.filter((_, place) => !isUnlisted[place])]
}

/** `GET /ticker/NSE:SBIN?from=…&to=…`: bars as JSON or as lines of text. */
async function ticker(
  c: Context<AppEnv>,
  { identity, market, listed }: MarketRoutesParts,
): Promise<Response> {
  const { body: asked } = await parseKeyed(identity, tickerQuery, readApiQuery(c))
  const ref = tickerSymbol(c.req.param('ticker') ?? '')
  const earliest = daysBefore(asked.to, TICKER_DAYS[isDaily(asked.interval) ? 'daily' : 'intraday'])
  const isTooEarly = asked.from < earliest
  const from = isTooEarly ? earliest : asked.from
  if (from > asked.to) throw validationError({ to: ['Must not be before from.'] })
  const bars = await history(listed, market, { ...ref, interval: asked.interval, from, to: asked.to })
  if (asked.format === 'json') return c.json({ status: 'success', data: bars })
  return c.text(bars.map((bar) => tickerLine(ref, bar, isDaily(asked.interval))).join('\n'))
}

function tickerSymbol(ticker: string): Ref {
  const [exchange, symbol, ...rest] = ticker.split(':')
  if (symbol === undefined || symbol === '' || rest.length > 0) {
    throw validationError({ ticker: ['Must be EXCHANGE:SYMBOL.'] })
  }
  return parseWith(tickerPath, { symbol, exchange })
}

function tickerLine({ exchange, symbol }: Ref, bar: Candle, daily: boolean): string {
  const time = daily
    ? new Date(bar.timestamp * 1000).toISOString().slice(0, 10)
    : istDateTime(bar.timestamp * 1000).replace(' ', ',')
  const { open, high, low, close, volume } = bar
  return [`${exchange}:${symbol}`, time, open, high, low, close, Math.trunc(volume)].join(',')
}
