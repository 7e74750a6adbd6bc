import { type Bars, count, factor, type Line, period, rowsOf } from '../definition.js'
import * as s from '../series.js'

const row = rowsOf('Volatility')

/** Returns the upper, middle and lower band, with the same distance above and below the middle. */
function bands(middle: Line, distance: Line): readonly [Line, Line, Line] {
  return [s.add(middle, distance), middle, s.subtract(middle, distance)]
}

export function bollinger(line: Line, n: number, deviations: number): readonly [Line, Line, Line] {
  return bands(s.sma(line, n), s.scale(s.stdev(line, n), deviations))
}

/** Average of the last four values with the weights 1, 2, 2, 1. */
function symmetric(line: Line): Line {
  return s.rolling(line, 4, ([a = 0, b = 0, c = 0, d = 0]) => (a + 2 * b + 2 * c + d) / 6)
}

function vigor(bars: Bars, n: number): readonly Line[] {
  const moved = s.rollingSum(symmetric(s.subtract(bars.close, bars.open)), n)
  const ranged = s.rollingSum(symmetric(s.subtract(bars.high, bars.low)), n)
  const index = s.divide(moved, ranged, 0)
  return [index, symmetric(index)]
}

function ultimate(bars: Bars, short: number, medium: number, long: number): Line {
  const pressure = bars.close.map((close, at) => {
    const low = bars.low[at] ?? Number.NaN
    return close - Math.min(low, bars.close[at - 1] ?? low)
  })
  const range = s.trueRange(bars)
  const share = (n: number) => s.divide(s.rollingSum(pressure, n), s.rollingSum(range, n), 0)
  const [a, b, c] = [share(short), share(medium), share(long)]
  return s.scale(s.add(s.add(s.scale(a, 4), s.scale(b, 2)), c), 100 / 7)
}

const ULTIMATE = { period1: period(7), period2: period(14), period3: period(28) }
const BANDS = ['upper', 'middle', 'lower']

export const VOLATILITY = [
  row('atr', 'Average true range', 'hlc', { period: period(14) }, ['range'], (bars, p) => [
    s.atr(bars, p.period),
  ]),
  row('bbands', 'Bollinger Bands', 'c*', { period: period(20), std_dev: factor(2) }, BANDS, ({ close }, p) =>
    bollinger(close, p.period, p.std_dev),
  ),
  row(
    'bbpercent',
    'Place of the price within the Bollinger Bands, 0 to 1',
    'c*',
    { period: period(20), std_dev: factor(2) },
    ['share'],
    ({ close }, p) => {
      const [upper, , lower] = bollinger(close, p.period, p.std_dev)
      return [s.divide(s.subtract(close, lower), s.subtract(upper, lower), 0.5)]
    },
  ),
  row(
    'bbwidth',
    'Width of the Bollinger Bands',
    'c*',
    { period: period(20), std_dev: factor(2) },
    ['width'],
    ({ close }, p) => {
      const [upper, middle, lower] = bollinger(close, p.period, p.std_dev)
      return [s.divide(s.subtract(upper, lower), middle, 0)]
    },
  ),
  row(
    'chaikin',
    'Volatility of Chaikin',
    'hl',
    { ema_period: count(10), roc_period: count(10) },
    ['volatility'],
    ({ high, low }, p) => [s.percentChange(s.emaFromMean(s.subtract(high, low), p.ema_period), p.roc_period)],
  ),
  row(
    'chandelier_exit',
    'Chandelier exit',
    'hlc',
    { period: period(22), multiplier: factor(3) },
    ['long stop', 'short stop'],
    (bars, p) => {
      const reach = s.scale(s.sma(s.trueRange(bars), p.period), p.multiplier)
      return [s.subtract(s.highest(bars.high, p.period), reach), s.add(s.lowest(bars.low, p.period), reach)]
    },
  ),
  row('donchian', 'Donchian channel', 'hl', { period: period(20) }, BANDS, (bars, p) => [
    s.highest(bars.high, p.period),
    s.midOfRange(bars, p.period),
    s.lowest(bars.low, p.period),
  ]),
  row(
    'hv',
    'Historical volatility, in percent per year',
    'c',
    { length: period(10), annual: factor(365), per: factor(1) },
    ['volatility'],
    ({ close }, p) => {
      const returns = s.zip(close, s.ago(close, 1), (now, then) => Math.log(now / then))
      return [s.scale(s.stdev(returns, p.length), 100 * Math.sqrt(p.annual / p.per))]
    },
  ),
  row(
    'keltner',
    'Keltner channel',
    'hlc',
    { ema_period: count(20), atr_period: count(10), multiplier: factor(2) },
    BANDS,
    (bars, p) =>
      bands(s.emaFromMean(bars.close, p.ema_period), s.scale(s.atr(bars, p.atr_period), p.multiplier)),
  ),
  row('massindex', 'Mass index', 'hl', { length: period(10) }, ['index'], ({ high, low }, p) => {
    const once = s.ema1(s.subtract(high, low), 9)
    return [s.rollingSum(s.divide(once, s.ema1(once, 9)), p.length)]
  }),
  row(
    'natr',
    'Average true range in percent of the price',
    'hlc',
    { period: period(14) },
    ['range in percent'],
    (bars, p) => [s.scale(s.divide(s.atr(bars, p.period), bars.close), 100)],
  ),
  row('rvi', 'Relative vigor index', 'ohlc', { period: period(10) }, ['index', 'signal'], (bars, p) =>
    vigor(bars, p.period),
  ),
  row(
    'starc',
    'STARC bands',
    'hlc',
    { ma_period: count(5), atr_period: count(15), multiplier: factor(1.33) },
    BANDS,
    (bars, p) =>
      bands(s.sma(bars.close, p.ma_period), s.scale(s.sma(s.trueRange(bars), p.atr_period), p.multiplier)),
  ),
  row('true_range', 'True range', 'hlc', {}, ['range'], (bars) => [s.trueRange(bars)]),
  row('ultimate_oscillator', 'Ultimate oscillator', 'hlc', ULTIMATE, ['oscillator'], (bars, p) => [
    ultimate(bars, p.period1, p.period2, p.period3),
  ]),
  row(
    'uo_oscillator',
    'Ultimate oscillator, under its other name',
    'hlc',
    ULTIMATE,
    ['oscillator'],
    (bars, p) => [ultimate(bars, p.period1, p.period2, p.period3)],
  ),
]
