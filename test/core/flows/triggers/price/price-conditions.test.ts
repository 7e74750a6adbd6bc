import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalCondition,
  PRICE_CONDITIONS,
  type PriceLevels,
  priceMeets,
  priceMeetsAtOnce,
} from '../../../../../src/core/flows/triggers/index.js'

test.each([
  ['above', 'greater_than'],
  ['PRICE_BELOW', 'less_than'],
  ['crosses', 'crossing'],
  ['crosses-above', 'crossing_up'],
  ['cross_below', 'crossing_down'],
  [' Moving-Up-Percent ', 'moving_up_percent'],
  ['equals', undefined],
  ['toString', undefined],
])('%s means %s', (word, name) => {
  expect(canonicalCondition(word)).toBe(name)
})

const at = (condition: string, levels: Partial<PriceLevels> = {}): PriceLevels => ({
  condition,
  price: 100,
  lower: 90,
  upper: 110,
  percentage: 1.1,
  ...levels,
})

describe('a price meets', () => {
  test.each<[string, ltp: number, previous: number | undefined, boolean]>([
    ['greater_than', 100, 99, false],
    ['greater_than', 100.05, undefined, true],
    ['less_than', 100, undefined, false],
    ['less_than', 99.95, undefined, true],
    ['crossing', 100.1, undefined, true],
    ['crossing', 99.9, undefined, true],
    ['crossing', 100.15, 90, false],
    ['crossing_up', 100.05, 100, true],
    ['crossing_up', 100.05, undefined, false],
    ['crossing_up', 101, 100.5, false],
    ['crossing_up', 100, 99, false],
    ['crossing_down', 99.95, 100, true],
    ['crossing_down', 99.95, undefined, false],
    ['crossing_down', 99, 99.5, false],
    ['entering_channel', 90, 95, true],
    ['inside_channel', 110, undefined, true],
    ['inside_channel', 110.05, undefined, false],
    ['exiting_channel', 89.95, undefined, true],
    ['outside_channel', 90, undefined, false],
    ['moving_up', 101, undefined, false],
    ['moving_up', 101, 100, true],
    ['moving_up', 100, 100, false],
    ['moving_down', 99, 100, true],
    ['moving_up_percent', 101.1, 100, true],
    ['moving_up_percent', 101.05, 100, false],
    ['moving_up_percent', 120, undefined, false],
    ['moving_down_percent', 98.9, 100, true],
    ['moving_down_percent', 102, 100, false],
  ])('%s at %d after %j: %j', (condition, ltp, previous, met) => {
    expect(priceMeets(at(condition), ltp, previous)).toBe(met)
  })
})

test('an unknown condition is an error, and so is a move without a previous price', () => {
  expect(() => priceMeets(at('roughly'), 1, 2)).toThrow('Unknown price alert condition: roughly')
  for (const condition of ['moving_up', 'moving_down', 'moving_up_percent', 'moving_down_percent']) {
    expect(() => priceMeetsAtOnce(at(condition), 100)).toThrow(
      `${condition} needs the previous tick, which only the price monitor has`,
    )
  }
})

test.each<[string, number, boolean]>([
  ['crossing_up', 101, true],
  ['crossing_up', 99, false],
  ['crossing_down', 99, true],
  ['crossing_down', 101, false],
  ['inside_channel', 95, true],
])('without a previous price, %s at %d: %j', (condition, ltp, met) => {
  expect(priceMeetsAtOnce(at(condition), ltp)).toBe(met)
})

test('a missing level never matches', () => {
  for (const [condition, { needs }] of Object.entries(PRICE_CONDITIONS)) {
    if (needs !== 'none') expect(priceMeets({ condition }, 100, 50)).toBe(false)
  }
})

/** The conditions in whole paise, where nothing is rounded. */
const ORACLE: Readonly<
  Record<string, (l: number, p: number | undefined, t: number, a: number, b: number, pct: number) => boolean>
> = {
  greater_than: (l, _p, t) => l > t,
  less_than: (l, _p, t) => l < t,
  crossing: (l, _p, t) => Math.abs(l - t) * 1000 <= t,
  crossing_up: (l, p, t) => p !== undefined && p <= t && l > t,
  crossing_down: (l, p, t) => p !== undefined && p >= t && l < t,
  entering_channel: (l, _p, _t, a, b) => a <= l && l <= b,
  inside_channel: (l, _p, _t, a, b) => a <= l && l <= b,
  exiting_channel: (l, _p, _t, a, b) => l < a || l > b,
  outside_channel: (l, _p, _t, a, b) => l < a || l > b,
  moving_up: (l, p) => p !== undefined && l > p,
  moving_down: (l, p) => p !== undefined && l < p,
  moving_up_percent: (l, p, _t, _a, _b, pct) => p !== undefined && (l - p) * 10_000 >= pct * p,
  moving_down_percent: (l, p, _t, _a, _b, pct) => p !== undefined && (p - l) * 10_000 >= pct * p,
}

test('prices with paise give the same result as whole paise', () => {
  expect(Object.keys(ORACLE).sort()).toEqual(Object.keys(PRICE_CONDITIONS).sort())
  const near = fc.integer({ min: 95_000, max: 105_000 })
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.entries(ORACLE)),
      near,
      fc.option(near, { nil: undefined }),
      near,
      near,
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 1_000 }),
      ([condition, oracle], ltp, previous, price, lower, width, percent) => {
        const upper = lower + width
        const levels = {
          condition,
          price: price / 100,
          lower: lower / 100,
          upper: upper / 100,
          percentage: percent / 100,
        }
        expect(priceMeets(levels, ltp / 100, previous === undefined ? undefined : previous / 100)).toBe(
          oracle(ltp, previous, price, lower, upper, percent),
        )
      },
    ),
    { numRuns: 2_000 },
  )
})
