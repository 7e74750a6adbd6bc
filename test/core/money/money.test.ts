import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoney, timesQuantity, toMoney } from '../../../src/core/money/index.js'

test.each([
  [0.0025, 25n],
  [0.05, 500n],
  [1e-9, 0n],
  [5e-324, 0n],
  [1e15, 10n ** 19n],
  [1e21, 10n ** 25n],
  [-1e21, -(10n ** 25n)],
])('%d rupees are %d ten-thousandths', (rupees, money) => {
  expect(toMoney(rupees)).toBe(money)
})

test('every finite number is an amount', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (rupees) => {
      expect(typeof toMoney(rupees)).toBe('bigint')
      expect(Number(formatMoney(toMoney(rupees), 4))).toBeCloseTo(rupees, 3)
    }),
  )
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%d is no amount', (rupees) => {
  expect(() => toMoney(rupees)).toThrow(RangeError)
})

test('the largest price times the largest quantity is exact', () => {
  expect(timesQuantity(toMoney(1e15), 1e15)).toBe(10n ** 34n)
  expect(timesQuantity(toMoney(0.0025), 1e-8)).toBe(0n)
  expect(timesQuantity(toMoney(95_000), 1e-8)).toBe(10n)
})
