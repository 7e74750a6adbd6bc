import type { AnswerOf } from '../../../client/index.js'
import { istDate } from '../../../core/time/index.js'
import type { Point } from '../../components/chart/braille.js'
import type { Quote } from '../../live/prices/quote.js'

export type Bar = Pick<AnswerOf<'history'>['data'][number], 'timestamp' | 'close'>

/** Returns the bars of the last day among them. */
export function lastSession<One extends Bar>(bars: readonly One[]): readonly One[] {
  const last = bars.at(-1)
  return last === undefined ? [] : bars.filter((bar) => dateOf(bar) === dateOf(last))
}

/** Returns the points of a session, the live price last while the session lasts. */
export function pointsOf(bars: readonly Bar[], quote: Quote | undefined): readonly Point[] {
  const points = bars.map(({ timestamp, close }) => ({ time: timestamp * 1000, value: close }))
  const last = bars.at(-1)
  const isOf = quote !== undefined && last !== undefined && istDate(quote.at) === dateOf(last)
  return isOf ? [...points, { time: Math.max(quote.at, last.timestamp * 1000), value: quote.ltp }] : points
}

const dateOf = ({ timestamp }: Bar) => istDate(timestamp * 1000)
