import { expect, it } from 'vitest'
import { proposeFirstDay } from '../../../src/core/risk/index.js'

const QUOTE = { symbol: 'SBIN', ltp: 800, high: 820, low: 792 }
const valuesFor = (availableCash: number, quote = QUOTE) =>
  proposeFirstDay({ availableCash, quote }).map(({ value }) => value)

it('proposes a tenth of the funds for an order, a hundredth for a day, and the range of the day for a price', () => {
  expect(proposeFirstDay({ availableCash: 123_456, quote: QUOTE })).toEqual([
    { rule: 'max_order_value', value: 12_000, reason: 'a tenth of the funds' },
    { rule: 'max_day_loss', value: 1200, reason: 'a hundredth of the funds' },
    {
      rule: 'price_band_percent',
      value: 4,
      reason: 'the range of SBIN today, 3.5 %, but at least 2 % and at most 10 %',
    },
  ])
})

it('leaves room for one share, and for a loss of 100 rupees, when the funds are small', () => {
  expect(valuesFor(2000)).toEqual([880, 100, 4])
  expect(valuesFor(0)).toEqual([880, 100, 4])
})

it('keeps the price band between 2 and 10 percent', () => {
  expect(valuesFor(100_000, { ...QUOTE, high: 800, low: 800 })[2]).toBe(2)
  expect(valuesFor(100_000, { ...QUOTE, high: 1000, low: 700 })[2]).toBe(10)
})
