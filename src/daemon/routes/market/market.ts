import {
  type Candle,
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
import { type Clock, Pace } from '../../../core/time/index.js'
import type { Handlers } from '../../http/handlers.js'
import { BarAnswers } from './bar-answers.js'
import { QuoteAnswers } from './quote-answers.js'

export interface MarketParts {
  market: MarketData
  listed: ListedMarket
}

interface MarketHandlerParts extends MarketParts {
  clock: Pick<Clock, 'monotonic'>
}

/** A list of bars whose JSON is made in several turns of the event loop, and the days of one turn. */
const MANY_BARS = 5_000
const DAYS_A_TURN = 4

/** Returns the handlers for market data: quotes, depth and bars. */
export function marketHandlers({ clock, market, listed }: MarketHandlerParts) {
  const answers = new BarAnswers()
  const quotes = new QuoteAnswers(listed)
  const barsAnswer = (series: string, bars: readonly Candle[]) =>
    bars.length > MANY_BARS
      ? answers.inTurns(series, bars, new Pace(clock, DAYS_A_TURN))
      : answers.of(series, bars)
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
        : barsAnswer(seriesOf(query), data)
    },
    'POST /api/v1/intervals': () => ({ status: 'success', data: intervalsByUnit(market.intervals()) }),
  } satisfies Partial<Handlers>
}

const seriesOf = ({ symbol, exchange, interval }: HistoryQuery) => `${exchange}:${symbol}:${interval}`
