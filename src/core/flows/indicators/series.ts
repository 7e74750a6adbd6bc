import { CMO, EMA, SMA, WMA, WSMA } from 'trading-signals'
import type { Bars, Line } from './definition.js'

/** Primitives of all indicators. A line has NaN where there is no value, and NaN propagates. */

export function map(line: Line, of: (value: number, at: number) => number): Line {
  return line.map(of)
}

export function zip(a: Line, b: Line, of: (a: number, b: number) => number): Line {
  return a.map((value, at) => of(value, b[at] ?? Number.NaN))
}

export const add = (a: Line, b: Line): Line => zip(a, b, (x, y) => x + y)
export const subtract = (a: Line, b: Line): Line => zip(a, b, (x, y) => x - y)
export const multiply = (a: Line, b: Line): Line => zip(a, b, (x, y) => x * y)
export const scale = (line: Line, by: number): Line => map(line, (value) => value * by)
/** Divides two lines. The result is `whenZero` where the divisor is 0. */
export const divide = (a: Line, b: Line, whenZero = Number.NaN): Line =>
  zip(a, b, (x, y) => (y === 0 && !Number.isNaN(x) ? whenZero : x / y))

/** Returns the value `bars` bars ago; a negative number looks ahead. */
export function ago(line: Line, bars: number): Line {
  return line.map((_, at) => line[at - bars] ?? Number.NaN)
}

export const change = (line: Line, bars = 1): Line => subtract(line, ago(line, bars))

/** Returns the change in percent over `bars` bars; `whenZero` where the old value is 0. */
export function percentChange(line: Line, bars: number, whenZero = 0): Line {
  return zip(line, ago(line, bars), (now, then) => (then === 0 ? whenZero : ((now - then) / then) * 100))
}

/** Returns the line without its first `bars` values. */
export const from = (line: Line, bars: number): Line =>
  map(line, (value, at) => (at < bars ? Number.NaN : value))

/** Feeds a running average and leaves out bars without a value. */
export function feed(
  line: Line,
  average: { update(value: number, replace: boolean): number | null | undefined },
): Line {
  return line.map((value) =>
    Number.isNaN(value) ? Number.NaN : (average.update(value, false) ?? Number.NaN),
  )
}

/** Simple moving average of n values. */
export const sma = (line: Line, n: number): Line => feed(line, new SMA(n))
/** Average with linear weights; the newest value has weight n. */
export const wma = (line: Line, n: number): Line => feed(line, new WMA(n))
/** Exponential average with smoothing 2/(n+1), from the first value on, without warm-up. */
export const ema1 = (line: Line, n: number): Line => feed(line, new EMA(n))
/** Wilder's average, which starts with the mean of the first n values. */
export const rma = (line: Line, n: number): Line => feed(line, new WSMA(n))

/** Exponential average with smoothing 2/(n+1), which starts with the mean of the first n values. */
export function emaFromMean(line: Line, n: number): Line {
  const alpha = 2 / (n + 1)
  const means = sma(line, n)
  let last = Number.NaN
  return line.map((value, at) => {
    last = Number.isNaN(last) ? (means[at] ?? Number.NaN) : alpha * value + (1 - alpha) * last
    return last
  })
}

/** Computes a value for every full window of n values; NaN if a value of the window is missing. */
export function rolling(line: Line, n: number, of: (window: readonly number[]) => number): Line {
  return line.map((_, at) => {
    if (at < n - 1) return Number.NaN
    const window = line.slice(at - n + 1, at + 1)
    return window.some(Number.isNaN) ? Number.NaN : of(window)
  })
}

/** Like {@link rolling}, but computed from the values that are present, if there is at least one. */
export function rollingPresent(line: Line, n: number, of: (present: readonly number[]) => number): Line {
  return line.map((_, at) => {
    if (at < n - 1) return Number.NaN
    const present = line.slice(at - n + 1, at + 1).filter((value) => !Number.isNaN(value))
    return present.length === 0 ? Number.NaN : of(present)
  })
}

export const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length

/** Returns the standard deviation of a whole population. */
export function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values)
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)))
}

export const highest = (line: Line, n: number): Line => rolling(line, n, (window) => Math.max(...window))
export const lowest = (line: Line, n: number): Line => rolling(line, n, (window) => Math.min(...window))
export const rollingSum = (line: Line, n: number): Line => rolling(line, n, sumOf)
export const stdev = (line: Line, n: number): Line => rolling(line, n, deviationOf)

/** Returns the running sum from the first bar. */
export function cumulate(line: Line, start = 0): Line {
  let total = start
  return line.map((value) => {
    total += value
    return total
  })
}

export const hl2 = ({ high, low }: Bars): Line => zip(high, low, (h, l) => (h + l) / 2)
export const hlc3 = ({ high, low, close }: Bars): Line =>
  high.map((h, at) => (h + (low[at] ?? Number.NaN) + (close[at] ?? Number.NaN)) / 3)

/** Middle of the highest high and the lowest low. */
export const midOfRange = ({ high, low }: Pick<Bars, 'high' | 'low'>, n: number): Line =>
  zip(highest(high, n), lowest(low, n), (h, l) => (h + l) / 2)

/** The first bar has no previous close, so its range is high minus low. */
export function trueRange({ high, low, close }: Bars): Line {
  return high.map((h, at) => {
    const l = low[at] ?? Number.NaN
    const before = close[at - 1]
    return before === undefined ? h - l : Math.max(h - l, Math.abs(h - before), Math.abs(l - before))
  })
}

/** Wilder's average true range. */
export const atr = (bars: Bars, n: number): Line => rma(trueRange(bars), n)

/**
 * Returns the position of the close between the lowest and the highest of n bars, 0 to 100; `whenFlat` if
 * they are equal.
 */
export function stochasticOf(bars: Pick<Bars, 'high' | 'low' | 'close'>, n: number, whenFlat: number): Line {
  const top = highest(bars.high, n)
  const bottom = lowest(bars.low, n)
  return bars.close.map((value, at) => {
    const low = bottom[at] ?? Number.NaN
    const range = (top[at] ?? Number.NaN) - low
    return range === 0 ? whenFlat : ((value - low) / range) * 100
  })
}

/** Returns Wilder's relative strength index; 100 if there was no loss. */
export function rsi(line: Line, n: number): Line {
  const moves = change(line)
  const gains = rma(
    map(moves, (move) => Math.max(move, 0)),
    n,
  )
  const losses = rma(
    map(moves, (move) => Math.max(-move, 0)),
    n,
  )
  return zip(gains, losses, (gain, loss) => (loss === 0 ? 100 : 100 - 100 / (1 + gain / loss)))
}

/** Chande's momentum oscillator: simple sums of gains and losses over n moves; 0 if there was no move. */
export const cmo = (line: Line, n: number): Line => feed(line, new CMO(n))

const AVERAGES: Readonly<Record<string, (line: Line, n: number) => Line>> = { SMA: sma, EMA: ema1 }

/** Returns the simple or the exponential average by name. */
export function averageBy(name: string): (line: Line, n: number) => Line {
  return AVERAGES[name.toUpperCase()] ?? sma
}
