import type { Bars } from '../flows/index.js'
import { lastBars, newest, rounded } from './values.js'

/** The bars on each side that a turning point must exceed. */
const REACH = 2
/** Turning points that are this close, as a fraction of the price, are one level. */
const SAME_LEVEL = 0.005
const MOST_LEVELS = 3

/**
 * Returns the prices at which earlier moves turned: of the turning points above and below the close, those nearest to
 * it; and the pivot points of the last complete bar.
 */
export function levelsOf(bars: Bars) {
  const close = bars.close.at(-1) ?? Number.NaN
  const highs = turningPoints(bars.high, (one, other) => one > other)
  const lows = turningPoints(bars.low, (one, other) => one < other)
  const all = [...highs, ...lows]
  const [pivot = null, r1 = null, s1 = null, r2 = null, s2 = null] = newest(
    lastBars(withoutLast(bars), 1),
    'pivot_points',
  )
  return {
    close: rounded(close),
    resistance: nearest(
      all.filter((price) => price > close),
      close,
    ),
    support: nearest(
      all.filter((price) => price < close),
      close,
    ),
    pivot: { pivot, r1, r2, s1, s2 },
  }
}

/** The newest bar may still be forming. */
function withoutLast({ open, high, low, close, volume }: Bars): Bars {
  return {
    open: open.slice(0, -1),
    high: high.slice(0, -1),
    low: low.slice(0, -1),
    close: close.slice(0, -1),
    volume: volume.slice(0, -1),
  }
}

function turningPoints(
  prices: readonly number[],
  exceeds: (one: number, other: number) => boolean,
): number[] {
  return prices.filter((price, at) => {
    const around = [...prices.slice(at - REACH, at), ...prices.slice(at + 1, at + 1 + REACH)]
    return at >= REACH && around.length === 2 * REACH && around.every((other) => exceeds(price, other))
  })
}

function nearest(prices: readonly number[], close: number): number[] {
  const byDistance = [...prices].sort((one, other) => Math.abs(one - close) - Math.abs(other - close))
  const levels: number[] = []
  for (const price of byDistance) {
    if (levels.length === MOST_LEVELS) break
    if (levels.every((level) => Math.abs(level / price - 1) > SAME_LEVEL)) levels.push(price)
  }
  return levels.flatMap((level) => rounded(level) ?? [])
}
