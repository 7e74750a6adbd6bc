import {
  depthView,
  type HistoryQuery,
  history,
  intervalsByUnit,
  isDaily,
  type ListedMarket,
  type MarketData,
  noStoredBars,
  quoteView,
} from '../../../core/market/index.js'
import type { Handlers } from '../../http/handlers.js'
import { BarAnswers } from './bar-answers.js'
import { QuoteAnswers } from './quote-answers.js'

export interface MarketParts {
  market: MarketData
  listed: ListedMarket
}

/** Returns the handlers for market data: quotes, depth and bars. */
export function marketHandlers({ market, listed }: MarketParts) {
  const answers = new BarAnswers()
  const quotes = new QuoteAnswers(listed)
  return {
    'POST /api/v1/quotes': async ({ body }) => ({
      status: 'success',
      data: quoteView(await listed.quote(body)),
    }),
    'POST /api/v1/multiquotes': ({ body }) => quotes.of(body.symbols),
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
