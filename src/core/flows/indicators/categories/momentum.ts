import { type Bars, count, flag, type Line, period, rowsOf, text } from '../definition.js'
import * as s from '../series.js'

const row = rowsOf('Momentum')
const MA = text('SMA', ['SMA', 'EMA'])

/** Returns the number of consecutive moves in the same direction; negative for downward moves. */
function streak(close: Line): Line {
  let run = 0
  return s.map(s.change(close), (move) => {
    if (Number.isNaN(move) || move === 0) run = 0
    else run = move > 0 ? Math.max(run, 0) + 1 : Math.min(run, 0) - 1
    return run
  })
}

/** Returns the number of values in the window below the newest one, in percent of the window. */
function percentRank(line: Line, n: number): Line {
  return s.rolling(line, n, (window) => {
    const newest = window[n - 1] ?? Number.NaN
    return (window.filter((value) => value < newest).length / n) * 100
  })
}

function connorsRsi(close: Line, ofPrice: number, ofStreak: number, ofRank: number): Line {
  const parts = [
    s.rsi(close, ofPrice),
    s.rsi(streak(close), ofStreak),
    percentRank(s.percentChange(close, 1), ofRank),
  ]
  return close.map((_, at) => s.meanOf(parts.map((part) => part[at] ?? Number.NaN)))
}

function fisher(bars: Bars, n: number): readonly Line[] {
  const middle = s.hl2(bars)
  const place = s.stochasticOf({ high: middle, low: middle, close: middle }, n, 50)
  let [value, transformed] = [0, 0]
  const line = s.map(place, (percent) => {
    if (Number.isNaN(percent)) return Number.NaN
    const smoothed = 0.66 * (percent / 100 - 0.5) + 0.67 * value
    value = Math.abs(smoothed) > 0.99 ? Math.sign(smoothed) * 0.999 : smoothed
    transformed = 0.5 * Math.log((1 + value) / (1 - value)) + 0.5 * transformed
    return transformed
  })
  const trigger = line.map((now, at) => (Number.isNaN(now) ? now : (line[at - 1] ?? 0) || 0))
  return [line, trigger]
}

/** Returns a line, its exponential average, and their difference. */
function withSignal(line: Line, n: number): readonly Line[] {
  const signal = s.ema1(line, n)
  return [line, signal, s.subtract(line, signal)]
}

function commodityChannel(bars: Bars, n: number): Line {
  return s.rolling(s.hlc3(bars), n, (window) => {
    const mean = s.meanOf(window)
    const spread = s.meanOf(window.map((value) => Math.abs(value - mean)))
    return spread === 0 ? 0 : ((window[n - 1] ?? Number.NaN) - mean) / (0.015 * spread)
  })
}

export const MOMENTUM = [
  row(
    'apo',
    'Absolute price oscillator',
    'c*',
    { fast_period: count(12), slow_period: count(26), ma_type: text('SMA') },
    ['oscillator'],
    ({ close }, p) => {
      const average = s.averageBy(p.ma_type)
      return [s.subtract(average(close, p.fast_period), average(close, p.slow_period))]
    },
  ),
  row('bop', 'Balance of power', 'ohlc', {}, ['balance'], ({ open, high, low, close }) => [
    s.divide(s.subtract(close, open), s.subtract(high, low), 0),
  ]),
  row('cci', 'Commodity channel index', 'hlc', { period: period(20) }, ['index'], (bars, p) => [
    commodityChannel(bars, p.period),
  ]),
  row(
    'cmo',
    'Momentum oscillator of Chande',
    'c*',
    { period: period(14) },
    ['oscillator'],
    ({ close }, p) => [s.cmo(close, p.period)],
  ),
  row(
    'crsi',
    'Connors RSI',
    'c*',
    { lenrsi: count(3), lenupdown: count(2), lenroc: count(100) },
    ['index'],
    ({ close }, p) => [connorsRsi(close, p.lenrsi, p.lenupdown, p.lenroc)],
  ),
  row(
    'dpo',
    'Detrended price oscillator',
    'c*',
    { period: period(21), is_centered: flag(false) },
    ['oscillator'],
    ({ close }, p) => {
      const back = Math.floor(p.period / 2) + 1
      const mean = s.sma(close, p.period)
      return [p.is_centered ? s.subtract(s.ago(close, back), mean) : s.subtract(close, s.ago(mean, back))]
    },
  ),
  row(
    'elderray',
    'Elder ray: bull and bear power',
    'hlc',
    { period: period(13) },
    ['bull power', 'bear power'],
    ({ high, low, close }, p) => {
      const average = s.ema1(close, p.period)
      return [s.subtract(high, average), s.subtract(low, average)]
    },
  ),
  row('fisher', 'Fisher transform', 'hl', { length: period(9) }, ['fisher', 'trigger'], (bars, p) =>
    fisher(bars, p.length),
  ),
  row(
    'macd',
    'Moving average convergence divergence',
    'c*',
    { fast_period: count(12), slow_period: count(26), signal_period: count(9) },
    ['line', 'signal', 'histogram'],
    ({ close }, p) =>
      withSignal(s.subtract(s.ema1(close, p.fast_period), s.ema1(close, p.slow_period)), p.signal_period),
  ),
  row('mom', 'Momentum', 'c*', { period: period(10) }, ['momentum'], ({ close }, p) => [
    s.change(close, p.period),
  ]),
  row(
    'po',
    'Price oscillator',
    'c*',
    { fast_period: count(10), slow_period: count(20), ma_type: MA },
    ['oscillator'],
    ({ close }, p) => {
      const average = s.averageBy(p.ma_type)
      return [s.subtract(average(close, p.fast_period), average(close, p.slow_period))]
    },
  ),
  row(
    'ppo',
    'Percentage price oscillator',
    'c*',
    { fast_period: count(12), slow_period: count(26), signal_period: count(9) },
    ['line', 'signal', 'histogram'],
    ({ close }, p) => {
      const slow = s.ema1(close, p.slow_period)
      const line = s.divide(s.subtract(s.ema1(close, p.fast_period), slow), slow, 0)
      return withSignal(s.scale(line, 100), p.signal_period)
    },
  ),
  row('rsi', 'Relative strength index', 'c*', { period: period(14) }, ['index'], ({ close }, p) => [
    s.rsi(close, p.period),
  ]),
  row(
    'stochastic',
    'Stochastic oscillator, smoothed',
    'hlc',
    { k_period: period(14), smooth_k: count(3), d_period: count(3) },
    ['K', 'D'],
    (bars, p) => {
      const k = s.sma(s.stochasticOf(bars, p.k_period, 50), p.smooth_k)
      return [k, s.sma(k, p.d_period)]
    },
  ),
  row(
    'stochf',
    'Stochastic oscillator, fast',
    'hlc',
    { fastk_period: period(5), fastd_period: count(3) },
    ['K', 'D'],
    (bars, p) => {
      const k = s.stochasticOf(bars, p.fastk_period, 0)
      return [k, s.sma(k, p.fastd_period)]
    },
  ),
  row(
    'stochrsi',
    'Stochastic oscillator of the RSI',
    'c*',
    { rsi_period: period(14), stoch_period: count(14), k_period: count(3), d_period: count(3) },
    ['K', 'D'],
    ({ close }, p) => {
      const index = s.rsi(close, p.rsi_period)
      const place = s.rollingPresent(index, p.stoch_period, (present) => {
        const [low, high] = [Math.min(...present), Math.max(...present)]
        return high === low ? 50 : (((present.at(-1) ?? Number.NaN) - low) / (high - low)) * 100
      })
      const k = s.rollingPresent(place, p.k_period, s.meanOf)
      return [k, s.rollingPresent(k, p.d_period, s.meanOf)]
    },
  ),
  row(
    'trix',
    'Rate of change of a triple exponential average',
    'c*',
    { length: period(18) },
    ['oscillator'],
    ({ close }, p) => {
      const smooth = (line: Line) => s.ema1(line, p.length)
      return [s.scale(s.change(smooth(smooth(smooth(s.map(close, Math.log))))), 10_000)]
    },
  ),
  row('williams_r', 'Williams %R', 'hlc', { period: period(14) }, ['percent range'], (bars, p) => [
    s.map(s.stochasticOf(bars, p.period, 50), (percent) => percent - 100),
  ]),
]
