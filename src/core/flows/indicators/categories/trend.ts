import { ALMA, ChandeKrollStop } from 'trading-signals'
import { type Bars, count, factor, type Line, period, rowsOf, shiftBy, text } from '../definition.js'
import * as s from '../series.js'

const row = rowsOf('Trend')
const MA = text('SMA', ['SMA', 'EMA'])

/** Each stage starts when the previous one is warm, n - 1 bars later. */
function stages(close: Line, n: number, many: number): readonly Line[] {
  const lines = [s.ema1(close, n)]
  for (let stage = 1; stage < many; stage += 1) {
    lines.push(s.ema1(s.from(lines[stage - 1] ?? [], stage * (n - 1)), n))
  }
  return lines.map((line) => s.from(line, many * (n - 1)))
}

function hull(close: Line, n: number): Line {
  const faster = s.wma(close, Math.max(1, Math.floor(n / 2)))
  const raw = s.subtract(s.scale(faster, 2), s.wma(close, n))
  return s.wma(raw, Math.floor(Math.sqrt(n)))
}

/** Follows the price from bar `start` on. `share` gives the share of the distance for each bar. */
function follow(
  close: Line,
  start: number,
  first: number,
  share: (at: number, last: number) => number,
): Line {
  let last = Number.NaN
  return close.map((price, at) => {
    if (at < start) return Number.NaN
    last = at === start ? first : last + share(at, last) * (price - last)
    return last
  })
}

function kama(close: Line, n: number, fast: number, slow: number): Line {
  const quick = 2 / (fast + 1)
  const calm = 2 / (slow + 1)
  const path = s.rollingSum(s.map(s.change(close), Math.abs), n)
  const way = s.map(s.change(close, n), Math.abs)
  return follow(close, n, close[n] ?? Number.NaN, (at) => {
    const walked = path[at] ?? Number.NaN
    const efficiency = walked === 0 ? 0 : (way[at] ?? Number.NaN) / walked
    return (efficiency * (quick - calm) + calm) ** 2
  })
}

function frama(bars: Bars, n: number): Line {
  const half = Math.max(1, Math.floor(n / 2))
  const price = s.hl2(bars)
  const recent = s.subtract(s.highest(bars.high, half), s.lowest(bars.low, half)).map((r) => r / half)
  const older = s.ago(recent, half)
  const whole = s.subtract(s.highest(bars.high, n), s.lowest(bars.low, n)).map((r) => r / n)
  let last = Number.NaN
  const raw = price.map((value, at) => {
    const [n1, n2, n3] = [recent[at] ?? Number.NaN, older[at] ?? Number.NaN, whole[at] ?? Number.NaN]
    const dimension = n1 > 0 && n2 > 0 && n3 > 0 ? (Math.log(n1 + n2) - Math.log(n3)) / Math.LN2 : 1
    const alpha = Math.min(1, Math.max(0.01, Math.exp(-4.6 * (dimension - 1))))
    last = at <= n ? value : alpha * value + (1 - alpha) * last
    return last
  })
  const smooth = s.sma(raw, 5)
  return raw.map((value, at) => (at <= n ? value : (smooth[at] ?? Number.NaN)))
}

/** Returns the level and the direction: +1 while the price is below the level, -1 while it is above. */
function supertrend(bars: Bars, n: number, multiplier: number): readonly Line[] {
  const range = s.atr(bars, n)
  const levels: number[] = []
  const directions: number[] = []
  let [upper, lower, direction] = [Number.NaN, Number.NaN, 1]
  s.hl2(bars).forEach((middle, at) => {
    const reach = multiplier * (range[at] ?? Number.NaN)
    const close = bars.close[at] ?? Number.NaN
    const before = bars.close[at - 1] ?? Number.NaN
    const first = Number.isNaN(upper)
    const nextUpper = first || middle + reach < upper || before > upper ? middle + reach : upper
    const nextLower = first || middle - reach > lower || before < lower ? middle - reach : lower
    if (!first) direction = direction === 1 ? (close > nextUpper ? -1 : 1) : close < nextLower ? 1 : -1
    ;[upper, lower] = [nextUpper, nextLower]
    levels.push(direction === 1 ? upper : lower)
    directions.push(Number.isNaN(upper) ? Number.NaN : direction)
  })
  return [levels, directions]
}

function ichimoku(bars: Bars, conversion: number, base: number, span: number, displacement: number) {
  const fast = s.midOfRange(bars, conversion)
  const slow = s.midOfRange(bars, base)
  const by = displacement - 1
  const middle = s.zip(fast, slow, (a, b) => (a + b) / 2)
  return [fast, slow, s.ago(middle, by), s.ago(s.midOfRange(bars, span), by), s.ago(bars.close, -by)]
}

function krollStop({ high, low, close }: Bars, p: number, x: number, q: number): readonly Line[] {
  const stops = new ChandeKrollStop({ interval: p, multiplier: x, stopInterval: q })
  const found = high.map((h, at) =>
    stops.update({ high: h, low: low[at] ?? Number.NaN, close: close[at] ?? Number.NaN }, false),
  )
  return [
    found.map((stop) => stop?.longStop ?? Number.NaN),
    found.map((stop) => stop?.shortStop ?? Number.NaN),
  ]
}

function generalizedDema(line: Line, n: number, v: number): Line {
  const once = s.ema1(line, n)
  return s.zip(once, s.ema1(once, n), (a, b) => (1 + v) * a - v * b)
}

export const TREND = [
  row(
    'alligator',
    'Alligator of Bill Williams',
    'c*',
    {
      jaw_period: count(13),
      jaw_shift: shiftBy(8),
      teeth_period: count(8),
      teeth_shift: shiftBy(5),
      lips_period: count(5),
      lips_shift: shiftBy(3),
    },
    ['jaw', 'teeth', 'lips'],
    ({ close }, p) => [
      s.ago(s.rma(close, p.jaw_period), p.jaw_shift),
      s.ago(s.rma(close, p.teeth_period), p.teeth_shift),
      s.ago(s.rma(close, p.lips_period), p.lips_shift),
    ],
  ),
  row(
    'alma',
    'Arnaud Legoux moving average',
    'c*',
    { period: period(21), offset: factor(0.85), sigma: factor(6) },
    ['average'],
    ({ close }, p) => [s.feed(close, new ALMA(p.period, p.offset, p.sigma))],
  ),
  row(
    'ckstop',
    'Chande Kroll stop',
    'hlc',
    { p: count(10), x: factor(1), q: count(9) },
    ['long stop', 'short stop'],
    (bars, { p, x, q }) => krollStop(bars, p, x, q),
  ),
  row(
    'dema',
    'Double exponential moving average',
    'c*',
    { period: period(14) },
    ['average'],
    ({ close }, p) => {
      const [once = [], twice = []] = stages(close, p.period, 2)
      return [s.zip(once, twice, (a, b) => 2 * a - b)]
    },
  ),
  row('ema', 'Exponential moving average', 'c*', { period: period(14) }, ['average'], ({ close }, p) => [
    s.ema1(close, p.period),
  ]),
  row('frama', 'Fractal adaptive moving average', 'hl', { period: period(26) }, ['average'], (bars, p) => [
    frama(bars, p.period),
  ]),
  row('hma', 'Hull moving average', 'c*', { period: period(14) }, ['average'], ({ close }, p) => [
    hull(close, p.period),
  ]),
  row(
    'ichimoku',
    'Ichimoku cloud',
    'hlc',
    {
      conversion_periods: count(9),
      base_periods: count(26),
      lagging_span2_periods: count(52),
      displacement: count(26),
    },
    ['conversion', 'base', 'span A', 'span B', 'lagging'],
    (bars, p) =>
      ichimoku(bars, p.conversion_periods, p.base_periods, p.lagging_span2_periods, p.displacement),
  ),
  row(
    'kama',
    'Adaptive moving average of Kaufman',
    'c*',
    { length: period(14), fast_length: count(2), slow_length: count(30) },
    ['average'],
    ({ close }, p) => [kama(close, p.length, p.fast_length, p.slow_length)],
  ),
  row(
    'ma_envelopes',
    'Envelopes around a moving average',
    'c*',
    { period: period(20), percentage: factor(2.5), ma_type: MA },
    ['upper', 'middle', 'lower'],
    ({ close }, p) => {
      const middle = s.averageBy(p.ma_type)(close, p.period)
      return [s.scale(middle, 1 + p.percentage / 100), middle, s.scale(middle, 1 - p.percentage / 100)]
    },
  ),
  row('mcginley', 'McGinley dynamic', 'c*', { period: period(14) }, ['average'], ({ close }, p) => {
    const n = p.period
    const seed = s.sma(close, n)[n - 1] ?? Number.NaN
    return [follow(close, n - 1, seed, (at, last) => 1 / (n * ((close[at] ?? Number.NaN) / last) ** 4))]
  }),
  row('sma', 'Simple moving average', 'c*', { period: period(14) }, ['average'], ({ close }, p) => [
    s.sma(close, p.period),
  ]),
  row(
    'supertrend',
    'Supertrend',
    'hlc',
    { period: period(10), multiplier: factor(3) },
    ['level', 'direction: 1 falling, -1 rising'],
    (bars, p) => supertrend(bars, p.period, p.multiplier),
  ),
  row(
    't3',
    'T3 moving average of Tillson',
    'c*',
    { period: period(21), v_factor: factor(0.7) },
    ['average'],
    ({ close }, p) => {
      const gd = (line: Line) => generalizedDema(line, p.period, p.v_factor)
      return [gd(gd(gd(close)))]
    },
  ),
  row(
    'tema',
    'Triple exponential moving average',
    'c*',
    { period: period(14) },
    ['average'],
    ({ close }, p) => {
      const [once = [], twice = [], thrice = []] = stages(close, p.period, 3)
      return [s.add(s.scale(s.subtract(once, twice), 3), thrice)]
    },
  ),
  row('trima', 'Triangular moving average', 'c*', { period: period(20) }, ['average'], ({ close }, p) => {
    const inner = Math.floor((p.period + 1) / 2)
    return [s.sma(s.sma(close, inner), p.period - inner + 1)]
  }),
  row(
    'vidya',
    'Variable index dynamic average',
    'c*',
    { period: period(14), alpha: factor(0.2) },
    ['average'],
    ({ close }, p) => {
      const momentum = s.cmo(close, p.period)
      const share = (at: number) => (p.alpha * Math.abs(momentum[at] ?? Number.NaN)) / 100
      return [follow(close, p.period, close[p.period] ?? Number.NaN, share)]
    },
  ),
  row(
    'vwma',
    'Volume-weighted moving average',
    'cv',
    { period: period(14) },
    ['average'],
    ({ close, volume }, p) => {
      const paid = s.rollingSum(s.multiply(close, volume), p.period)
      const traded = s.rollingSum(volume, p.period)
      return [
        close.map((price, at) =>
          traded[at] === 0 ? price : (paid[at] ?? Number.NaN) / (traded[at] ?? Number.NaN),
        ),
      ]
    },
  ),
  row('wma', 'Weighted moving average', 'c*', { period: period(14) }, ['average'], ({ close }, p) => [
    s.wma(close, p.period),
  ]),
  row(
    'zlema',
    'Zero-lag exponential moving average',
    'c*',
    { period: period(14) },
    ['average'],
    ({ close }, p) => {
      const lag = Math.floor((p.period - 1) / 2)
      const led = close.map((price, at) => (at < lag ? price : 2 * price - (close[at - lag] ?? Number.NaN)))
      return [s.ema1(led, p.period)]
    },
  ),
]
