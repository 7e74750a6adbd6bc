import { type Bars, computeIndicator, IndicatorError, indicatorNamed } from '../flows/index.js'

const DECIMALS = 10_000

/** Returns a value with four decimals; null where the bars give none. */
export function rounded(value: number | undefined): number | null {
  if (value === undefined || !Number.isFinite(value)) return null
  return Math.round(value * DECIMALS) / DECIMALS
}

/** Returns the newest values of an indicator, one for each of its results; nulls if the bars are too few. */
export function newest(bars: Bars, name: string, params: Readonly<Record<string, number>> = {}) {
  return newestTwo(bars, name, params).map(([now]) => now)
}

/** As {@link newest}, with the value one bar earlier beside each. */
export function newestTwo(
  bars: Bars,
  name: string,
  params: Readonly<Record<string, number>> = {},
): [now: number | null, before: number | null][] {
  const indicator = indicatorNamed(name)
  try {
    const { lines } = computeIndicator(indicator, bars, params)
    return lines.map((line) => [rounded(line.at(-1)), rounded(line.at(-2))])
  } catch (error) {
    // A window that is longer than the data has no value.
    if (error instanceof IndicatorError) return indicator.outputs.map(() => [null, null])
    throw error
  }
}

/** Returns the newest bars only, at most `length`. */
export function lastBars({ open, high, low, close, volume, time }: Bars, length: number): Bars {
  return {
    open: open.slice(-length),
    high: high.slice(-length),
    low: low.slice(-length),
    close: close.slice(-length),
    volume: volume.slice(-length),
    ...(time && { time: time.slice(-length) }),
  }
}
