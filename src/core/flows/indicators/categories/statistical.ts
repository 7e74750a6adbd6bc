import { LinearRegression } from 'trading-signals'
import { count, factor, flag, type Line, period, rowsOf, text } from '../definition.js'
import * as s from '../series.js'

const row = rowsOf('Statistical')

interface Fit {
  /** Value of the fitted line at the start of the window. */
  intercept: number
  /** Rise per bar. */
  slope: number
}

/**
 * Computes a value of the straight line fitted to every window of n. With n = 1 the line is the value itself.
 */
function fitted(line: Line, n: number, of: (fit: Fit) => number): Line {
  if (n === 1) return s.map(line, (value) => of({ intercept: value, slope: 0 }))
  const regression = new LinearRegression(n)
  return line.map((value) => {
    const fit = Number.isNaN(value) ? null : regression.update(value, false)
    return fit ? of(fit) : Number.NaN
  })
}

const endOf = (line: Line, n: number): Line => fitted(line, n, (fit) => fit.intercept + fit.slope * (n - 1))

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

/**
 * Returns the middle of the bin with the most values, the lowest one if several are equal. All bins have the
 * same width.
 */
function modeOf(values: readonly number[], bins: number): number {
  const low = Math.min(...values)
  const width = (Math.max(...values) - low) / bins
  if (width === 0) return low
  const counts = Array.from({ length: bins }, () => 0)
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((value - low) / width))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return low + (counts.indexOf(Math.max(...counts)) + 0.5) * width
}

function sampleVariance(line: Line, n: number): Line {
  return s.rolling(line, n, (window) => {
    const mean = s.meanOf(window)
    return s.sumOf(window.map((value) => (value - mean) ** 2)) / (n - 1)
  })
}

/**
 * Returns the average, the score (deviations from its mean), the average of the score, and the standard
 * deviation.
 */
function varianceParts(variance: Line, average: number, filter: number, ofScore: number): readonly Line[] {
  const spread = s.stdev(variance, filter)
  const score = s.divide(s.subtract(variance, s.sma(variance, filter)), spread)
  return [s.ema1(variance, average), score, s.ema1(score, ofScore), s.map(variance, Math.sqrt)]
}

export const STATISTICAL = [
  row(
    'linreg',
    'Linear regression: end of the line',
    'c*',
    { period: period(14) },
    ['end of the fit'],
    ({ close }, p) => [endOf(close, p.period)],
  ),
  row(
    'linregangle',
    'Linear regression: angle of the line',
    'c*',
    { period: period(14) },
    ['degrees'],
    ({ close }, p) => [fitted(close, p.period, (fit) => (Math.atan(fit.slope) * 180) / Math.PI)],
  ),
  row(
    'linregintercept',
    'Linear regression: start of the line',
    'c*',
    { period: period(14) },
    ['start of the fit'],
    ({ close }, p) => [fitted(close, p.period, (fit) => fit.intercept)],
  ),
  row(
    'lrslope',
    'Linear regression: slope between bars',
    'c*',
    { period: period(100), interval: factor(1) },
    ['slope'],
    ({ close }, p) => [s.scale(s.change(endOf(close, p.period)), 1 / p.interval)],
  ),
  row('median', 'Median', 'c*', { period: period(3) }, ['median'], ({ close }, p) => [
    s.rolling(close, p.period, medianOf),
  ]),
  row(
    'mode',
    'Most frequent price',
    'c*',
    { period: period(20), bins: count(10) },
    ['mode'],
    ({ close }, p) => [s.rolling(close, p.period, (window) => modeOf(window, p.bins))],
  ),
  row(
    'tsf',
    'Time series forecast: the line, one bar ahead',
    'c*',
    { period: period(14) },
    ['forecast'],
    ({ close }, p) => [fitted(close, p.period, (fit) => fit.intercept + fit.slope * p.period)],
  ),
  row(
    'variance',
    'Variance',
    'c*',
    {
      lookback: period(20),
      mode: text('PR', ['PR', 'LR']),
      ema_period: count(20),
      filter_lookback: count(20),
      ema_length: count(14),
      return_components: flag(false),
    },
    ['variance; with components its average, score, average of the score and deviation'],
    ({ close }, p) => {
      const source =
        p.mode.toUpperCase() === 'LR'
          ? s.zip(close, s.ago(close, 1), (now, then) => 100 * Math.log(now / then))
          : close
      const variance = sampleVariance(source, p.lookback)
      if (!p.return_components) return [variance]
      return [variance, ...varianceParts(variance, p.ema_period, p.filter_lookback, p.ema_length)]
    },
  ),
]
