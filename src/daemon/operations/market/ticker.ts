import type { Context } from 'hono'
import { z } from 'zod'
import { validationError } from '../../../core/errors/index.js'
import { type Candle, daysBefore, history, isDaily } from '../../../core/market/index.js'
import { istDateTime } from '../../../core/time/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { readingInput, refuseInPlainText } from '../../http/api-route.js'
import { jsonWithRows, streamText } from '../../http/response/stream.js'
import { readApiQuery } from '../../middleware/api-key.js'
import type { AppEnv } from '../../process/env.js'
import { http, keyed } from '../running.js'
import { candles, date, interval, symbolPayload } from './prices.js'
import { MARKET_REFUSALS } from './refusals.js'

/** The most days before the last one that a ticker shows. An earlier start is moved up to this limit. */
const TICKER_DAYS = { daily: 3650, intraday: 30 } as const

const tickerQuery = z.object({
  from: date,
  to: date,
  interval: interval.default('D'),
  format: fields.oneOf(['json', 'txt']).default('json'),
  /** The public API has these two parameters; they have no effect. */
  adjusted: fields.text().optional(),
  sort: fields.text().optional(),
})

type Ref = z.output<typeof symbolPayload>

/** Bars by GET, as JSON or as lines of text. */
export const TICKER_OPERATIONS = {
  'GET /api/v1/ticker/:ticker': keyed('Market data', 'data')(
    'Returns the bars of one symbol, as JSON or as lines of text.',
    {
      params: { ticker: 'EXCHANGE:SYMBOL, such as NSE:SBIN.' },
      query: tickerQuery,
      example: { from: '2026-11-10', to: '2026-11-20', interval: 'D' },
      answer: candles,
      answerText: 'text/plain',
      errors: MARKET_REFUSALS,
      run: http('a stream', (service, c) => {
        const answer = () => tickerAnswer(c, service)
        return c.req.query('format') === 'txt' ? refuseInPlainText(c, answer) : answer()
      }),
    },
  ),
}

/** `GET /ticker/NSE:SBIN?from=…&to=…`: bars as JSON or as lines of text. */
async function tickerAnswer(
  c: Context<AppEnv>,
  { identity, market, listed }: RunningService,
): Promise<Response> {
  const { payload: asked } = await readingInput(c, identity, tickerQuery, readApiQuery(c))
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
