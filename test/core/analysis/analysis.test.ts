import { describe, expect, test } from 'vitest'
import {
  correlationOf,
  levelsOf,
  momentumOf,
  signalsOf,
  trendOf,
  volatilityOf,
} from '../../../src/core/analysis/index.js'

/** Bars whose closes are given; each spans one rupee on both sides. */
function barsOf(close: readonly number[]) {
  return {
    open: close,
    high: close.map((price) => price + 1),
    low: close.map((price) => price - 1),
    close,
    volume: close.map(() => 1000),
    time: close.map((_, at) => at * 60),
  }
}

const closes = (length: number, of: (at: number) => number) => Array.from({ length }, (_, at) => of(at))
const rising = barsOf(closes(120, (at) => 100 + at))
const falling = barsOf(closes(120, (at) => 300 - at))
const flat = barsOf(closes(120, () => 100))
const swaying = barsOf(closes(120, (at) => 100 + 3 * Math.sin(at)))
const few = barsOf([100, 101, 102])

describe('a trend', () => {
  test('goes up, down or sideways', () => {
    expect([rising, falling, swaying].map((bars) => trendOf(bars).direction)).toEqual([
      'up',
      'down',
      'sideways',
    ])
    expect(trendOf(rising)).toMatchObject({ close: 219, sma_20: 209.5, sma_50: 194.5 })
  })

  test('of too few bars is unknown, without invented values', () => {
    expect(trendOf(few)).toMatchObject({ direction: 'unknown', sma_50: null, adx: null, close: 102 })
  })
})

test('momentum is overbought after a rise, oversold after a fall, and unknown without bars', () => {
  expect([rising, falling, few].map((bars) => momentumOf(bars).zone)).toEqual([
    'overbought',
    'oversold',
    'unknown',
  ])
})

test('volatility is that of the bars', () => {
  expect(volatilityOf(flat)).toMatchObject({ atr: 2, atr_percent: 2, return_deviation_percent_20: 0 })
  expect(volatilityOf(few).return_deviation_percent_20).toBeNull()
})

test('levels are turning points on the right side of the close, each once', () => {
  const wave = barsOf(closes(41, (at) => 100 + 10 * Math.sin((at * Math.PI) / 10)))
  const { resistance, support } = levelsOf(wave)
  expect(resistance).toEqual([111])
  expect(support).toEqual([89])
  expect(levelsOf(few)).toMatchObject({ resistance: [], support: [], pivot: { pivot: 101 } })
})

test('a signal is what happened on the newest bar alone', () => {
  const jump = barsOf([...closes(60, () => 100), 130])
  expect(signalsOf(jump).map(({ name, side }) => [name, side])).toEqual(
    expect.arrayContaining([['close_above_upper_band', 'bullish']]),
  )
  const later = barsOf([...closes(60, () => 100), 130, 130])
  expect(signalsOf(later).map(({ name }) => name)).not.toContain('close_above_upper_band')
  expect(signalsOf(few)).toEqual([])
})

test('correlation and beta compare the bars that both have', () => {
  const benchmark = barsOf(closes(60, (at) => 100 + (at % 5)))
  // Twice the benchmark's return on every bar.
  let price = 50
  const double = barsOf(
    benchmark.close.map((now, at) => {
      const before = benchmark.close[at - 1]
      price *= before === undefined ? 1 : 1 + 2 * (now / before - 1)
      return price
    }),
  )
  expect(correlationOf(double, benchmark)).toEqual({ bars: 60, correlation: 1, beta: 2 })
  expect(correlationOf(few, benchmark)).toEqual({ bars: 3, correlation: null, beta: null })
  expect(correlationOf(rising, flat)).toMatchObject({ correlation: null, beta: null })
})
