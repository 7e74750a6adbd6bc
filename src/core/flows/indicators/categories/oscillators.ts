import { type Bars, count, type Line, period, rowsOf } from '../definition.js'
import * as s from '../series.js'
import { aroon } from './hybrid.js'
import { moneyFlow } from './volume.js'

const row = rowsOf('Oscillators')

const awesome = (bars: Bars, fast: number, slow: number): Line =>
  s.subtract(s.sma(s.hl2(bars), fast), s.sma(s.hl2(bars), slow))

function choppiness(bars: Bars, n: number): Line {
  const walked = s.rollingSum(s.trueRange(bars), n)
  const span = s.subtract(s.highest(bars.high, n), s.lowest(bars.low, n))
  return s.zip(walked, span, (way, range) => {
    if (Number.isNaN(way)) return way
    return n > 1 && way > 0 && range > 0 ? (100 * Math.log10(way / range)) / Math.log10(n) : 50
  })
}

/**
 * Returns the position of the newest value between the lowest and the highest; 0 until the window is full.
 */
function placeOf(line: Line, n: number): Line {
  const place = s.stochasticOf({ high: line, low: line, close: line }, n, 50)
  return s.map(place, (value) => (Number.isNaN(value) ? 0 : value))
}

function schaff(close: Line, fast: number, slow: number, cycle: number, d1: number, d2: number): Line {
  const line = s.subtract(s.ema1(close, fast), s.ema1(close, slow))
  const once = s.ema1(placeOf(line, cycle), d1)
  return s.map(s.ema1(placeOf(once, cycle), d2), (value) => Math.min(100, Math.max(0, value)))
}

function trueStrength(close: Line, long: number, short: number, signal: number): readonly Line[] {
  const moves = s.map(s.change(close), (move) => (Number.isNaN(move) ? 0 : move))
  const smooth = (line: Line) => s.ema1(s.ema1(line, long), short)
  const index = s.scale(s.divide(smooth(moves), smooth(s.map(moves, Math.abs)), 0), 100)
  return [index, s.ema1(index, signal)]
}

function knowSure(close: Line, rates: readonly number[], means: readonly number[], signal: number) {
  const line = rates
    .map((length, at) => s.scale(s.sma(s.percentChange(close, length), means[at] ?? 1), at + 1))
    .reduce(s.add)
  return [line, s.sma(line, signal)]
}

export const OSCILLATORS = [
  row(
    'accelerator_oscillator',
    'Accelerator oscillator',
    'hl',
    { period: period(5) },
    ['oscillator'],
    (bars, p) => {
      const line = awesome(bars, 5, 34)
      return [s.subtract(line, s.sma(line, p.period))]
    },
  ),
  row('aroon_oscillator', 'Aroon oscillator', 'hl', { period: period(14) }, ['oscillator'], (bars, p) => {
    const [up, down] = aroon(bars, p.period)
    return [s.subtract(up, down)]
  }),
  row(
    'awesome_oscillator',
    'Awesome oscillator',
    'hl',
    { fast_period: count(5), slow_period: count(34) },
    ['oscillator'],
    (bars, p) => [awesome(bars, p.fast_period, p.slow_period)],
  ),
  row(
    'cho',
    'Chaikin oscillator',
    'hlcv',
    { fast_period: count(3), slow_period: count(10) },
    ['oscillator'],
    (bars, p) => {
      const line = s.cumulate(moneyFlow(bars))
      return [s.subtract(s.ema1(line, p.fast_period), s.ema1(line, p.slow_period))]
    },
  ),
  row('chop', 'Choppiness index', 'hlc', { period: period(14) }, ['index'], (bars, p) => [
    choppiness(bars, p.period),
  ]),
  row(
    'coppock',
    'Coppock curve',
    'c*',
    { wma_length: count(10), long_roc_length: count(14), short_roc_length: count(11) },
    ['curve'],
    ({ close }, p) => {
      const rates = s.add(
        s.percentChange(close, p.long_roc_length),
        s.percentChange(close, p.short_roc_length),
      )
      return [s.wma(rates, p.wma_length)]
    },
  ),
  row(
    'gator_oscillator',
    'Gator oscillator',
    'hl',
    { jaw_period: count(13), teeth_period: count(8), lips_period: count(5) },
    ['upper', 'lower'],
    (bars, p) => {
      const middle = s.hl2(bars)
      const jaw = s.ago(s.rma(middle, p.jaw_period), 8)
      const teeth = s.ago(s.rma(middle, p.teeth_period), 5)
      const lips = s.ago(s.rma(middle, p.lips_period), 3)
      return [
        s.map(s.subtract(jaw, teeth), Math.abs),
        s.map(s.subtract(teeth, lips), (gap) => -Math.abs(gap)),
      ]
    },
  ),
  row(
    'kst',
    'Know sure thing',
    'c*',
    {
      roclen1: count(10),
      roclen2: count(15),
      roclen3: count(20),
      roclen4: count(30),
      smalen1: count(10),
      smalen2: count(10),
      smalen3: count(10),
      smalen4: count(15),
      siglen: count(9),
    },
    ['line', 'signal'],
    ({ close }, p) =>
      knowSure(
        close,
        [p.roclen1, p.roclen2, p.roclen3, p.roclen4],
        [p.smalen1, p.smalen2, p.smalen3, p.smalen4],
        p.siglen,
      ),
  ),
  row('roc', 'Rate of change, in percent', 'c*', { length: period(14) }, ['percent'], ({ close }, p) => [
    s.percentChange(close, p.length),
  ]),
  row('rocp', 'Rate of change, as a fraction', 'c*', { period: period(10) }, ['fraction'], ({ close }, p) => [
    s.scale(s.percentChange(close, p.period), 1 / 100),
  ]),
  row('rocr', 'Rate of change, as a ratio', 'c*', { period: period(10) }, ['ratio'], ({ close }, p) => [
    s.divide(close, s.ago(close, p.period), 0),
  ]),
  row(
    'rocr100',
    'Rate of change, as a ratio times 100',
    'c*',
    { period: period(10) },
    ['ratio in percent'],
    ({ close }, p) => [s.scale(s.divide(close, s.ago(close, p.period), 0), 100)],
  ),
  row(
    'stc',
    'Schaff trend cycle',
    'c*',
    {
      fast_length: count(23),
      slow_length: count(50),
      cycle_length: count(10),
      d1_length: count(3),
      d2_length: count(3),
    },
    ['cycle'],
    ({ close }, p) => [schaff(close, p.fast_length, p.slow_length, p.cycle_length, p.d1_length, p.d2_length)],
  ),
  row(
    'tsi',
    'True strength index',
    'c*',
    { long_period: count(25), short_period: count(13), signal_period: count(13) },
    ['index', 'signal'],
    ({ close }, p) => trueStrength(close, p.long_period, p.short_period, p.signal_period),
  ),
]
