import {
  depthView,
  type HistoryQuery,
  history,
  intervalsByUnit,
  isDaily,
  type ListedMarket,
  type MarketData,
  noStoredBars,
  notListed,
  quoteView,
} from '../../../core/market/index.js'
import type { Handlers } from '../../http/handlers.js'
import { withBytes } from '../../http/response/ready-bytes.js'
import type { PayloadOf } from '../../operations/types.js'
import { BarAnswers } from './bar-answers.js'
import { rowOf } from './quote-texts.js'

export interface MarketParts {
  market: MarketData
  listed: ListedMarket
}

/** Returns the handlers for market data: quotes, depth and bars. */
export function marketHandlers({ market, listed }: MarketParts) {
  const answers = new BarAnswers()
  return {
    'POST /api/v1/quotes': async ({ body }) => ({
      status: 'success',
      data: quoteView(await listed.quote(body)),
    }),
    'POST /api/v1/multiquotes': ({ body }) => multiQuotes(listed, body.symbols),
    'POST /api/v1/depth': async ({ body }) => ({
      status: 'success',
      data: depthView(await listed.depth(body)),
    }),
    'POST /api/v1/history': async ({ body: { symbol, exchange, source, ...asked } }) => {
      const query = {
        symbol,
        exchange,
        interval: asked.interval,
        from: asked.start_date,
        to: asked.end_date,
      }
      if (source === 'db') throw noStoredBars(query)
      const data = await history(listed, market, query)
      return isDaily(query.interval)
        ? { status: 'success' as const, data }
        : answers.of(seriesOf(query), data)
    },
    'POST /api/v1/intervals': () => ({ status: 'success', data: intervalsByUnit(market.intervals()) }),
  } satisfies Partial<Handlers>
}

const seriesOf = ({ symbol, exchange, interval }: HistoryQuery) => `${exchange}:${symbol}:${interval}`

type Ref = PayloadOf<'POST /api/v1/quotes'>

/** Returns the symbols that failed, then the quotes. @throws ServiceError when no symbol has a quote */
async function multiQuotes(listed: ListedMarket, symbols: readonly Ref[]) {
  const answers = await listed.quotes(symbols)
  const found = symbols.map((ref, place) => {
    const answer = answers[place] ?? { error: 'The broker returned no quote' }
    if (!('error' in answer)) return { ...rowOf(ref, answer), unlisted: false }
    const row = { ...ref, error: answer.error }
    return { row, text: JSON.stringify(row), unlisted: !listed.isListed(ref) }
  })
  const failed = found.filter(({ unlisted }) => unlisted)
  const [first] = failed
  if (first && failed.length === found.length) {
    throw notListed(first.row, { invalid_symbols: failed.map(({ row }) => row) })
  }
  const ordered = [...failed, ...found.filter(({ unlisted }) => !unlisted)]
  const body = { status: 'success' as const, results: ordered.map(({ row }) => row) }
  const text = `{"status":"success","results":[${ordered.map((one) => one.text).join(',')}]}`
  return withBytes(body, Buffer.from(text))
}
