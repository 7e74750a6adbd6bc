import { type Bars, count, factor, type Line, period, rowsOf } from '../definition.js'
import * as s from '../series.js'
import { parabolic } from './parabolic.js'

const row = rowsOf('Hybrid')

/**
 * Returns how recent the first highest high and the first lowest low of n + 1 bars are; 100 is the newest
 * bar.
 */
export function aroon({ high, low }: Pick<Bars, 'high' | 'low'>, n: number): readonly [Line, Line] {
  const place = (find: (...values: number[]) => number) => (window: readonly number[]) =>
    (100 * window.indexOf(find(...window))) / n
  return [s.rolling(high, n + 1, place(Math.max)), s.rolling(low, n + 1, place(Math.min))]
}

/**
 * Returns the part of a bar's range beyond the previous bar, upwards and downwards. Only the greater one
 * counts.
 */
function directional({ high, low }: Pick<Bars, 'high' | 'low'>): readonly [Line, Line] {
  const up = s.change(high)
  const down = s.scale(s.change(low), -1)
  const beyond = (a: Line, b: Line) => s.zip(a, b, (x, y) => (x > y && x > 0 ? x : 0))
  return [beyond(up, down), beyond(down, up)]
}

/** Returns +DI, -DI and their relative difference, from smoothed movements and ranges. */
function indexes(plus: Line, minus: Line, range: Line): readonly [Line, Line, Line] {
  const up = s.scale(s.divide(plus, range), 100)
  const down = s.scale(s.divide(minus, range), 100)
  const apart = s.divide(s.map(s.subtract(up, down), Math.abs), s.add(up, down))
  return [up, down, s.scale(apart, 100)]
}

function directionalIndex(bars: Bars, n: number): readonly [Line, Line, Line] {
  const [plus, minus] = directional(bars)
  const [up, down, apart] = indexes(s.rma(plus, n), s.rma(minus, n), s.rma(s.trueRange(bars), n))
  return [up, down, s.rma(apart, n)]
}

/**
 * Returns Wilder's running sum: it starts as the sum of n - 1 bars from the second one; then each bar removes
 * an nth and adds its value.
 */
function wilderSum(line: Line, n: number): Line {
  if (n === 1) return s.from(line, 1)
  let total = 0
  return line.map((value, at) => {
    if (at === 0) return Number.NaN
    total = at < n ? total + value : total - total / n + value
    return at < n - 1 ? Number.NaN : total
  })
}

function summedIndex(bars: Bars, n: number): Line {
  const [plus, minus] = directional(bars).map((line) => wilderSum(line, n))
  const [, , apart] = indexes(plus ?? [], minus ?? [], wilderSum(s.trueRange(bars), n))
  return s.from(apart, n)
}

/**
 * Returns whether a bar is higher than the `n` bars before and after it. Up to four of the bars after it may
 * be equal.
 */
function fractals(line: Line, n: number): Line {
  const lower = (at: number, value: number) => (line[at] ?? Number.NEGATIVE_INFINITY) < value
  const level = (at: number, value: number) => (line[at] ?? Number.NEGATIVE_INFINITY) <= value
  const range = (size: number) => Array.from({ length: size }, (_, at) => at + 1)
  return line.map((value, at) => {
    if (at < n || at >= line.length - n) return 0
    const before = range(n).every((back) => lower(at - back, value))
    const after = [0, 1, 2, 3, 4].some(
      (ties) =>
        range(ties).every((ahead) => level(at + ahead, value)) &&
        range(n).every((ahead) => lower(at + ties + ahead, value)),
    )
    return before && after ? 1 : 0
  })
}

function pivots({ high, low, close }: Bars): readonly Line[] {
  const pivot = s.hlc3({ open: [], high, low, close, volume: [] })
  const range = s.subtract(high, low)
  return [
    pivot,
    s.subtract(s.scale(pivot, 2), low),
    s.subtract(s.scale(pivot, 2), high),
    s.add(pivot, range),
    s.subtract(pivot, range),
    s.add(high, s.scale(s.subtract(pivot, low), 2)),
    s.subtract(low, s.scale(s.subtract(high, pivot), 2)),
  ]
}

function randomWalk(bars: Bars, n: number): readonly Line[] {
  const expected = s.scale(s.sma(s.trueRange(bars), n), Math.sqrt(n))
  return [
    s.divide(s.subtract(bars.high, s.ago(bars.low, n)), expected, 0),
    s.divide(s.subtract(s.ago(bars.high, n), bars.low), expected, 0),
  ]
}

export const HYBRID = [
  row('adx', 'Average directional index', 'hlc', { period: period(14) }, ['+DI', '-DI', 'ADX'], (bars, p) =>
    directionalIndex(bars, p.period),
  ),
  row('adxr', 'Average directional index rating', 'hlc', { period: period(14) }, ['rating'], (bars, p) => {
    const adx = s.rma(summedIndex(bars, p.period), p.period)
    return [s.zip(adx, s.ago(adx, p.period - 1), (now, then) => (now + then) / 2)]
  }),
  row('aroon', 'Aroon', 'hl', { period: period(25) }, ['up', 'down'], (bars, p) => aroon(bars, p.period)),
  row('dmi', 'Directional movement index', 'hlc', { period: period(14) }, ['+DI', '-DI'], (bars, p) =>
    directionalIndex(bars, p.period).slice(0, 2),
  ),
  row('dx', 'Directional index', 'hlc', { period: period(14) }, ['index'], (bars, p) => [
    summedIndex(bars, p.period),
  ]),
  row(
    'fractals',
    'Fractals of Bill Williams',
    'hl',
    { periods: count(2) },
    ['up: 1 or 0', 'down: 1 or 0'],
    ({ high, low }, p) => [fractals(high, p.periods), fractals(s.scale(low, -1), p.periods)],
  ),
  row('minus_dm', 'Minus directional movement', 'hl', { period: period(14) }, ['movement'], (bars, p) => [
    wilderSum(directional(bars)[1], p.period),
  ]),
  row(
    'pivot_points',
    'Pivot points of the same bar',
    'hlc',
    {},
    ['pivot', 'r1', 's1', 'r2', 's2', 'r3', 's3'],
    pivots,
  ),
  row('plus_dm', 'Plus directional movement', 'hl', { period: period(14) }, ['movement'], (bars, p) => [
    wilderSum(directional(bars)[0], p.period),
  ]),
  row(
    'psar',
    'Parabolic stop and reverse',
    'hl',
    { acceleration: factor(0.02), maximum: factor(0.2) },
    ['level'],
    (bars, p) => [parabolic(bars, p.acceleration, p.maximum)],
  ),
  row('rwi', 'Random walk index', 'hlc', { period: period(14) }, ['high', 'low'], (bars, p) =>
    randomWalk(bars, p.period),
  ),
]
