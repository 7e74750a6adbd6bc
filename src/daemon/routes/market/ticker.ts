import type { Context } from 'hono'
import { validationError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import { type Candle, daysBefore, history, isDaily } from '../../../core/market/index.js'
import { istDateTime } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { keyedInput, refuseInPlainText } from '../../http/api-route.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { jsonWithRows, streamText } from '../../http/response/stream.js'
import { readApiQuery } from '../../middleware/api-key.js'
import { symbolPayload, tickerQuery } from '../../operations/market/payloads.js'
import type { PayloadOf } from '../../operations/types.js'
import type { AppEnv } from '../../process/env.js'
import type { MarketParts } from './market.js'

interface TickerParts extends MarketParts {
  identity: Identity
}

/** The most days before the last one that a ticker shows. An earlier start is moved up to this limit. */
const TICKER_DAYS = { daily: 3650, intraday: 30 } as const

/** Returns the handlers for bars by GET, as JSON or as lines of text. */
export function tickerHandlers(parts: TickerParts) {
  return {
    'GET /api/v1/ticker/:ticker': httpHandler((c) => {
      const answer = () => ticker(c, parts)
      return c.req.query('format') === 'txt' ? refuseInPlainText(c, answer) : answer()
    }),
  } satisfies Partial<Handlers>
}

type Ref = PayloadOf<'POST /api/v1/quotes'>

/** `GET /ticker/NSE:SBIN?from=…&to=…`: bars as JSON or as lines of text. */
async function ticker(c: Context<AppEnv>, { identity, market, listed }: TickerParts): Promise<Response> {
  const { payload: asked } = await keyedInput(identity, tickerQuery, readApiQuery(c))
  const ref = tickerSymbol(c.req.param('ticker') ?? '')
  const earliest = daysBefore(asked.to, TICKER_DAYS[isDaily(asked.interval) ? 'daily' : 'intraday'])
  const isTooEarly = asked.from < earliest
  const from = isTooEarly ? earliest : asked.from
  if (from > asked.to) throw validationError({ to: ['Must not be before from.'] })
  const bars = await history(listed, market, { ...ref, interval: asked.interval, from, to: asked.to })
  if (asked.format === 'json') {
    return streamText(c, 'application/json', jsonWithRows({ status: 'success' }, 'data', bars))
  }
  return streamText(c, 'text/plain; charset=UTF-8', tickerLines(ref, bars, isDaily(asked.interval)))
}

function tickerSymbol(ticker: string): Ref {
  const [exchange, symbol, ...rest] = ticker.split(':')
  if (symbol === undefined || symbol === '' || rest.length > 0) {
    throw validationError({ ticker: ['Must be EXCHANGE:SYMBOL.'] })
  }
  return parseWith(symbolPayload, { symbol, exchange })
}

function* tickerLines(ref: Ref, bars: readonly Candle[], daily: boolean): Generator<string> {
  let separator = ''
  for (const bar of bars) {
    yield separator + tickerLine(ref, bar, daily)
    separator = '\n'
  }
}

function tickerLine({ exchange, symbol }: Ref, bar: Candle, daily: boolean): string {
  const time = daily
    ? new Date(bar.timestamp * 1000).toISOString().slice(0, 10)
    : istDateTime(bar.timestamp * 1000).replace(' ', ',')
  const { open, high, low, close, volume } = bar
  return [`${exchange}:${symbol}`, time, open, high, low, close, Math.trunc(volume)].join(',')
}
