import { describe, expect, it } from 'vitest'
import {
  type Bars,
  computeIndicator,
  INDICATORS,
  indicatorNamed,
  type Line,
} from '../../../../src/core/flows/indicators/index.js'
import { GOLDEN, goldenBars } from './golden.js'

const BARS = goldenBars()
const COUNTS = {
  Trend: 20,
  Momentum: 18,
  Volatility: 16,
  Volume: 17,
  Oscillators: 14,
  Statistical: 8,
  Hybrid: 11,
  'Price Transform': 6,
  Utility: 6,
}

const compute = (name: string, bars: Bars = BARS, params: Readonly<Record<string, unknown>> = {}) =>
  computeIndicator(indicatorNamed(name), bars, params).lines
const newest = (line: Line): number | undefined => line.filter((value) => !Number.isNaN(value)).at(-1)
/** Rounds to six decimals, as the node does. */
const six = (value = Number.NaN): number => Number(value.toFixed(6))

function flat(price: number, length = 60): Bars {
  const line = Array.from({ length }, () => price)
  return { open: line, high: line, low: line, close: line, volume: line.map(() => 100) }
}

describe('the table of indicators', () => {
  it('has 116 names, each in its category', () => {
    const counted: Record<string, number> = {}
    for (const { category } of INDICATORS.values()) counted[category] = (counted[category] ?? 0) + 1
    expect(counted).toEqual(COUNTS)
    expect([...INDICATORS.keys()].sort()).toEqual(GOLDEN.map(([name]) => name).sort())
  })

  it('uses the same series as the golden values', () => {
    const bar = (at: number) =>
      [BARS.open, BARS.high, BARS.low, BARS.close, BARS.volume].map((line) => line[at])
    expect(bar(0)).toEqual([1000, 1001, 999, 1000, 100_000])
    expect(bar(199)).toEqual([1024.95, 1027.45, 1018.64, 1020.14, 108_810])
  })

  it.each(GOLDEN)('%s (%s) has the known newest values', (name, inputs, expected) => {
    const row = indicatorNamed(name)
    expect(`${row.inputs}${row.nestable ? '*' : ''}`).toBe(inputs)
    const lines = compute(name)
    expect(lines.map((line) => line.length)).toEqual(expected.map(() => 200))
    expect(lines.map((line) => six(newest(line)))).toEqual(expected)
  })
})

describe('warm-up', () => {
  const first = (line: Line) => line.findIndex((value) => !Number.isNaN(value))
  it.each([
    ['ema', {}, 0],
    ['macd', {}, 0],
    ['sma', {}, 13],
    ['rsi', {}, 14],
    ['dema', {}, 26],
    ['tema', {}, 39],
    ['atr', {}, 13],
    ['mfi', {}, 13],
    ['kama', {}, 14],
    ['vidya', {}, 14],
    ['frama', {}, 0],
    ['aroon', {}, 25],
    ['obv', {}, 0],
    ['alligator', {}, 20],
    ['hma', { period: 9 }, 10],
  ])('%s has its first value at bar %s %i', (name, params, at) => {
    expect(first(compute(name, BARS, params)[0] ?? [])).toBe(at)
  })
})

describe('a flat market', () => {
  it.each([
    ['bop', 0],
    ['cci', 0],
    ['cmo', 0],
    ['rsi', 100],
    ['stochastic', 50],
    ['stochf', 0],
    ['stochrsi', 50],
    ['williams_r', -50],
    ['bbpercent', 0.5],
    ['mfi', 100],
    ['obv', 0],
    ['adl', 0],
    ['chop', 50],
    ['tsi', 0],
    ['roc', 0],
    ['mode', 500],
    ['rising', 0],
    ['falling', 0],
    ['kama', 500],
    ['frama', 500],
    ['supertrend', 500],
  ])('gives %s = %d', (name, expected) => {
    expect(newest(compute(name, flat(500))[0] ?? [])).toBeCloseTo(expected, 9)
  })
})

describe('settings', () => {
  it.each([
    ['sma', { period: 500 }, 'Period (500) cannot be greater than data length (200)'],
    ['sma', { period: 0 }, 'Period must be positive, got 0'],
    ['sma', { period: 2.5 }, 'Period must be a whole number, got 2.5'],
    ['sma', { period: 'x' }, 'Period must be a number, got "x"'],
    ['sma', { lenght: 5 }, "Indicator 'sma' has no parameter 'lenght'; it has period"],
    ['po', { ma_type: 'HMA' }, "Ma_type 'HMA' is not one of SMA, EMA"],
    ['dpo', { is_centered: 3 }, 'Is_centered must be true or false, got 3'],
    ['psar', { acceleration: 0.5 }, 'acceleration cannot be greater than maximum'],
  ])('%s refuses %o', (name, params, message) => {
    expect(() => compute(name, BARS, params)).toThrow(message)
  })

  it.each([
    ['macdd', "unknown indicator 'macdd'"],
    ['crossover', 'compares two series'],
    ['ulcerindex', 'cannot be computed by the node'],
    ['constructor', "unknown indicator 'constructor'"],
  ])('the name %s is refused with a reason', (name, message) => {
    expect(() => indicatorNamed(name)).toThrow(message)
  })

  it('accepts a name in any case, and numbers as text', () => {
    expect(compute(' SMA ', BARS, { period: '14' })).toEqual(compute('sma'))
  })

  it.each([...INDICATORS.keys()])(
    '%s returns a separate line with a value for every bar of a short series',
    (name) => {
      const short: Bars = {
        open: BARS.open.slice(0, 120),
        high: BARS.high.slice(0, 120),
        low: BARS.low.slice(0, 120),
        close: BARS.close.slice(0, 120),
        volume: BARS.volume.slice(0, 120),
      }
      expect(compute(name, short).map((line) => line.length)).toEqual(
        indicatorNamed(name).outputs.map(() => 120),
      )
    },
  )
})

describe('variants by settings', () => {
  it('gives the components of variance when asked', () => {
    const [variance, average, score, ofScore, deviation] = compute('variance', BARS, {
      return_components: true,
    })
    expect(six(newest(variance ?? []))).toBe(334.091004)
    expect(newest(deviation ?? [])).toBeCloseTo(Math.sqrt(334.091004), 5)
    expect([average, score, ofScore].every((line) => Number.isFinite(newest(line ?? [])))).toBe(true)
  })

  it.each([
    ['SMA', 1],
    ['SMMA (RMA)', 1],
    ['SMA + Bollinger Bands', 3],
  ])('smooths obv by %s into %i lines', (ma_type, lines) => {
    expect(compute('obv_smoothed', BARS, { ma_type })).toHaveLength(lines)
  })

  it('restarts vwap each day in IST for intraday bars, and never for daily bars', () => {
    const day = Date.parse('2026-08-04T09:15:00+05:30') / 1000
    const bars = flat(100, 4)
    const moved: Bars = {
      ...bars,
      high: [100, 100, 200, 200],
      low: [100, 100, 200, 200],
      close: [100, 100, 200, 200],
    }
    const within = { ...moved, time: [day, day + 300, day + 86_400, day + 86_700] }
    const daily = { ...moved, time: [0, 1, 2, 3].map((n) => day + n * 86_400) }
    expect(compute('vwap', within)[0]).toEqual([100, 100, 200, 200])
    expect(compute('vwap', daily)[0]?.at(-1)).toBe(150)
    expect(compute('vwap', within, { anchor: 'None' })[0]?.at(-1)).toBe(150)
  })

  it('needs volume for vwap and volosc', () => {
    const bars = { ...flat(100), volume: flat(0).close }
    expect(() => compute('vwap', bars)).toThrow('needs volume')
    expect(() => compute('volosc', bars)).toThrow('needs volume')
  })

  it('marks a fractal at its turning bar, once enough bars have followed', () => {
    const high = [1, 2, 5, 5, 3, 2, 1, 1]
    const bars = { ...flat(1, 8), high, low: high.map((value) => -value) }
    expect(compute('fractals', bars)).toEqual([
      [0, 0, 1, 0, 0, 0, 0, 0],
      [0, 0, 1, 0, 0, 0, 0, 0],
    ])
  })
})
