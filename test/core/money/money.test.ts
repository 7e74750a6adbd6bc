import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatMoney, rupeesText, timesQuantity, toMoney } from '../../../src/core/money/index.js'
import { rupees as rupeesOfViews } from '../../../src/views/table/cells.js'

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

test('every finite number can be converted', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (rupees) => {
      expect(typeof toMoney(rupees)).toBe('bigint')
      expect(Number(formatMoney(toMoney(rupees), 4))).toBeCloseTo(rupees, 3)
    }),
  )
})

test('a number has the value of its shortest decimal text', () => {
  const rupees = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }),
    fc.integer({ min: -(10 ** 15), max: 10 ** 15 }).map((units) => units / 10_000),
    fc.integer({ min: -(10 ** 12), max: 10 ** 12 }).map((units) => units / 100_000),
  )
  fc.assert(
    fc.property(rupees, (value) => {
      fc.pre(!String(value).includes('e'))
      expect(toMoney(value)).toBe(toMoney(String(value)))
    }),
    { numRuns: 20_000 },
  )
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  '%d cannot be converted',
  (rupees) => {
    expect(() => toMoney(rupees)).toThrow(RangeError)
  },
)

test('the largest price times the largest quantity is exact', () => {
  expect(timesQuantity(toMoney(1e15), 1e15)).toBe(10n ** 34n)
  expect(timesQuantity(toMoney(0.0025), 1e-8)).toBe(0n)
  expect(timesQuantity(toMoney(95_000), 1e-8)).toBe(10n)
})

test.each([
  [0, '₹0.00'],
  [999.5, '₹999.50'],
  [1000, '₹1,000.00'],
  [1_234_567.5, '₹12,34,567.50'],
  [100_000_000, '₹10,00,00,000.00'],
  [-84_552.505, '₹-84,552.51'],
])('the message about %d rupees says %s', (rupees, text) => {
  expect(rupeesText(toMoney(rupees))).toBe(text)
})

test('messages of the service and tables of the programs group money in one way', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 13), max: 10 ** 13 }), (paise) => {
      expect(rupeesText(toMoney(paise / 100))).toBe(rupeesOfViews(paise / 100))
    }),
  )
})
