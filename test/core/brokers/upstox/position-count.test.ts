import { describe, expect, it } from 'vitest'
import { countIn } from '../../../../src/core/brokers/upstox/position-count.js'
import { positionRow } from '../../../../src/core/brokers/upstox/wire.js'

const LOT = 100
/** Three bought today at 6000, with the last price at 6010. */
const row = (changes: object = {}) =>
  positionRow.parse({
    exchange: 'MCX',
    product: 'D',
    quantity: 3,
    average_price: 6000,
    last_price: 6010,
    overnight_quantity: 0,
    day_buy_quantity: 3,
    day_buy_price: 6000,
    day_sell_quantity: 0,
    day_sell_price: '',
    ...changes,
  })
const [AS_LOTS, AS_UNITS] = [
  { day_buy_value: 1_800_000, pnl: 3000 },
  { day_buy_value: 18_000, pnl: 30 },
]
const CARRIED = { overnight_quantity: 3, day_buy_quantity: 0, day_buy_price: '', day_buy_value: 0 }

describe('the quantity of a position', () => {
  it.each([
    ['lots: amount and profit are of lots', AS_LOTS, 'lots'],
    ['lots: there is no profit yet', { ...AS_LOTS, last_price: 6000, pnl: 0 }, 'lots'],
    ['lots: there is no last price', { ...AS_LOTS, last_price: 0, pnl: 0 }, 'lots'],
    ['lots: the amount is a price of lots, the profit is rupees', { ...AS_UNITS, pnl: 3000 }, 'lots'],
    ['lots: it was carried', { ...CARRIED, value: 1_800_000, pnl: 3000 }, 'lots'],
    ['lots: it was sold short', { quantity: -3, ...CARRIED, value: -1_800_000, pnl: -3000 }, 'lots'],
    [
      'lots: the multiplier is that of a lot, and there is no profit yet',
      { multiplier: LOT, pnl: 0 },
      'lots',
    ],
    [
      'neither: the multiplier is that of a lot, the profit that of units',
      { ...AS_UNITS, multiplier: LOT },
      undefined,
    ],
    ['units: amount and profit are of units', AS_UNITS, 'units'],
    ['units: it was carried', { ...CARRIED, value: 18_000, pnl: 30 }, 'units'],
    [
      'units: a part was sold again',
      {
        ...AS_UNITS,
        ...{ quantity: 1, day_sell_quantity: 2, day_sell_price: 6005, day_sell_value: 12_010, pnl: 20 },
      },
      'units',
    ],
    ['neither: an amount of units alone', { ...AS_UNITS, last_price: 6000, pnl: 0 }, undefined],
    ['neither: an amount of another size', { day_buy_value: 180_000, pnl: 300 }, undefined],
    ['neither: amount and profit contradict each other', { ...AS_LOTS, pnl: 30 }, undefined],
    ['neither: nothing is told', {}, undefined],
    ['none: it is closed', { quantity: 0 }, 'lots'],
  ])('counts %s', (_name, changes, counted) => {
    expect(countIn(row(changes), LOT)).toBe(counted)
  })

  it('needs no proof where a lot is one unit', () => {
    expect(countIn(row(), 1)).toBe('lots')
  })
})
