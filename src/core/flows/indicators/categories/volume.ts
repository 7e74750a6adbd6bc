import { istDate } from '../../../time/index.js'
import {
  type Bars,
  count,
  factor,
  flag,
  IndicatorError,
  type Line,
  period,
  rowsOf,
  text,
} from '../definition.js'
import * as s from '../series.js'
import { bollinger } from './volatility.js'

const row = rowsOf('Volume')

/** Returns the position of the close between low and high, -1 to 1, times the volume; 0 for a flat bar. */
export function moneyFlow({ high, low, close, volume }: Bars): Line {
  const place = s.divide(
    close.map((c, at) => 2 * c - (high[at] ?? Number.NaN) - (low[at] ?? Number.NaN)),
    s.subtract(high, low),
    0,
  )
  return s.multiply(place, volume)
}

/** The first bar counts as 0, because there is no previous bar to compare with. */
const afterFirst = (line: Line): Line => s.map(line, (value, at) => (at === 0 ? 0 : value))

function onBalance({ close, volume }: Bars): Line {
  return s.cumulate(afterFirst(s.zip(s.change(close), volume, (move, v) => Math.sign(move) * v)))
}

function klinger(bars: Bars, trigger: number, fast: number, slow: number): readonly Line[] {
  const moves = s.change(s.hlc3(bars))
  const force = s.zip(moves, bars.volume, (move, v) => (move > 0 || Number.isNaN(move) ? v : -v) * 100)
  const line = s.subtract(s.ema1(force, fast), s.ema1(force, slow))
  return [line, s.ema1(line, trigger)]
}

function moneyFlowIndex(bars: Bars, n: number): Line {
  const price = s.hlc3(bars)
  const signed = afterFirst(
    s.zip(s.change(price), s.multiply(price, bars.volume), (move, flow) => Math.sign(move) * flow),
  )
  return s.rolling(signed, n, (window) => {
    const gained = s.sumOf(window.filter((flow) => flow > 0))
    const lost = -s.sumOf(window.filter((flow) => flow < 0))
    return lost === 0 ? 100 : 100 - 100 / (1 + gained / lost)
  })
}

/** Returns the running sum of the change of the close, in percent, on bars of falling volume. */
function negativeVolume({ close, volume }: Bars): Line {
  const fallen = s.change(volume)
  return s.cumulate(
    afterFirst(s.zip(s.percentChange(close, 1), fallen, (percent, more) => (more < 0 ? percent : 0))),
  )
}

/** Returns the running product of the ratio of the close on bars of rising volume. */
function positiveVolume({ close, volume }: Bars, initial: number): Line {
  let value = initial
  return close.map((price, at) => {
    const before = close[at - 1]
    const rose = (volume[at] ?? Number.NaN) > (volume[at - 1] ?? Number.NaN)
    if (before !== undefined && before !== 0 && rose) value *= price / before
    return value
  })
}

function smoothed(bars: Bars, type: string, n: number, bb: number, deviations: number): readonly Line[] {
  const line = onBalance(bars)
  switch (type.toUpperCase()) {
    case 'SMA':
      return [s.sma(line, n)]
    case 'EMA':
      return [s.ema1(line, n)]
    case 'SMMA (RMA)':
      return [s.rma(line, n)]
    case 'WMA':
      return [s.wma(line, n)]
    case 'VWMA':
      return [s.divide(s.rollingSum(s.multiply(line, bars.volume), n), s.rollingSum(bars.volume, n))]
    case 'SMA + BOLLINGER BANDS':
      return bollinger(line, bb, deviations)
    default:
      return [line]
  }
}

const SOURCES: Readonly<Record<string, (bars: Bars) => Line>> = {
  open: ({ open }) => open,
  high: ({ high }) => high,
  low: ({ low }) => low,
  close: ({ close }) => close,
  hl2: s.hl2,
  hlc3: s.hlc3,
  ohlc4: s.hlc3,
}

/**
 * Returns the volume-weighted average price. Anchored to the session, it restarts each day in IST if bars are
 * shorter than a day. Otherwise it runs over all bars.
 */
function averagePrice(bars: Bars, anchor: string, source: string): Line {
  if (bars.volume.every((v) => v === 0)) throw new IndicatorError('vwap needs volume, and every bar has none')
  const days = anchor.toLowerCase() === 'session' ? (bars.time ?? []).map((time) => istDate(time * 1000)) : []
  const intraday = days.some((day, at) => at > 0 && day === days[at - 1])
  let [paid, traded] = [0, 0]
  const prices = (SOURCES[source.toLowerCase()] ?? s.hlc3)(bars)
  return prices.map((price, at) => {
    if (intraday && days[at] !== days[at - 1]) [paid, traded] = [0, 0]
    const v = bars.volume[at] ?? Number.NaN
    paid += price * v
    traded += v
    return traded === 0 ? price : paid / traded
  })
}

export const VOLUME = [
  row('adl', 'Accumulation/distribution line', 'hlcv', {}, ['line'], (bars) => [
    s.cumulate(afterFirst(moneyFlow(bars))),
  ]),
  row('cmf', 'Money flow of Chaikin', 'hlcv', { period: period(20) }, ['flow'], (bars, p) => [
    s.divide(s.rollingSum(moneyFlow(bars), p.period), s.rollingSum(bars.volume, p.period), 0),
  ]),
  row(
    'emv',
    'Ease of movement',
    'hlv',
    { length: period(14), divisor: factor(10_000) },
    ['ease'],
    (bars, p) => {
      const work = s.multiply(s.change(s.hl2(bars)), s.subtract(bars.high, bars.low))
      return [s.sma(s.divide(s.scale(work, p.divisor), bars.volume, 0), p.length)]
    },
  ),
  row(
    'force_index',
    'Force index of Elder',
    'cv',
    { length: period(13) },
    ['force'],
    ({ close, volume }, p) => [s.ema1(s.multiply(s.change(close), volume), p.length)],
  ),
  row(
    'kvo',
    'Klinger volume oscillator',
    'hlcv',
    { trig_len: count(13), fast_x: count(34), slow_x: count(55) },
    ['oscillator', 'trigger'],
    (bars, p) => klinger(bars, p.trig_len, p.fast_x, p.slow_x),
  ),
  row('mfi', 'Money flow index', 'hlcv', { period: period(14) }, ['index'], (bars, p) => [
    moneyFlowIndex(bars, p.period),
  ]),
  row('nvi', 'Negative volume index', 'cv', {}, ['index'], (bars) => [negativeVolume(bars)]),
  row(
    'nvi_with_ema',
    'Negative volume index and its average',
    'cv',
    { ema_length: count(255) },
    ['index', 'average'],
    (bars, p) => {
      const line = negativeVolume(bars)
      return [line, s.ema1(line, p.ema_length)]
    },
  ),
  row('obv', 'On-balance volume', 'cv', {}, ['volume'], (bars) => [onBalance(bars)]),
  row(
    'obv_smoothed',
    'On-balance volume, smoothed',
    'cv',
    {
      ma_type: text('None', ['None', 'SMA', 'EMA', 'SMMA (RMA)', 'WMA', 'VWMA', 'SMA + Bollinger Bands']),
      ma_length: count(20),
      bb_length: count(20),
      bb_mult: factor(2),
    },
    ['volume; with Bollinger Bands upper, middle, lower'],
    (bars, p) => smoothed(bars, p.ma_type, p.ma_length, p.bb_length, p.bb_mult),
  ),
  row('pvi', 'Positive volume index', 'cv', { initial_value: factor(100) }, ['index'], (bars, p) => [
    positiveVolume(bars, p.initial_value),
  ]),
  row(
    'pvi_with_signal',
    'Positive volume index and its signal',
    'cv',
    { initial_value: factor(100), signal_type: text('EMA', ['EMA', 'SMA']), signal_length: count(255) },
    ['index', 'signal'],
    (bars, p) => {
      const line = positiveVolume(bars, p.initial_value)
      return [line, s.averageBy(p.signal_type)(line, p.signal_length)]
    },
  ),
  row('pvt', 'Price volume trend', 'cv', {}, ['trend'], ({ close, volume }) => [
    s.cumulate(afterFirst(s.multiply(s.scale(s.percentChange(close, 1), 1 / 100), volume))),
  ]),
  row('rvol', 'Volume relative to its average', 'v', { period: period(20) }, ['ratio'], ({ volume }, p) => [
    s.divide(volume, s.sma(volume, p.period), 1),
  ]),
  row(
    'volosc',
    'Volume oscillator',
    'v',
    { short_length: count(5), long_length: count(10), check_volume_validity: flag(true) },
    ['oscillator'],
    ({ volume }, p) => {
      if (p.check_volume_validity && volume.every((v) => v === 0)) {
        throw new IndicatorError('volosc needs volume, and every bar has none')
      }
      const long = s.ema1(volume, p.long_length)
      return [s.scale(s.divide(s.subtract(s.ema1(volume, p.short_length), long), long), 100)]
    },
  ),
  row('vroc', 'Rate of change of the volume', 'v', { period: period(25) }, ['percent'], ({ volume }, p) => [
    s.percentChange(volume, p.period),
  ]),
  row(
    'vwap',
    'Volume-weighted average price',
    'hlcv',
    {
      anchor: text('Session', ['Session', 'None']),
      source: text('hlc3', Object.keys(SOURCES)),
      stdev_mult_1: factor(1),
      stdev_mult_2: factor(2),
      stdev_mult_3: factor(3),
      percent_mult_1: factor(0.236),
      percent_mult_2: factor(0.382),
      percent_mult_3: factor(0.618),
    },
    ['average price'],
    (bars, p) => [averagePrice(bars, p.anchor, p.source)],
  ),
]
