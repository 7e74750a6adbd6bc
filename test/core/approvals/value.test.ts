import { expect, test } from 'vitest'
import { type NamedOrder, valueIn } from '../../../src/core/approvals/index.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const INFY = { symbol: 'INFY', exchange: 'NSE' }
/** SBIN trades at 800; the price of INFY is not known. */
const worth = ({ price, quantity, ref }: NamedOrder) => {
  const each = price ?? (ref?.symbol === 'SBIN' ? 800 : undefined)
  return each === undefined ? undefined : each * quantity
}

test.each<[string, string, object, number | undefined, number | undefined]>([
  ['a limit order', 'placeorder', { ...SBIN, quantity: 10, price: 700 }, undefined, 7000],
  ['a market order', 'placeorder', { ...SBIN, quantity: 10, price: 0 }, undefined, 8000],
  [
    'a basket whose values make noise as floats',
    'basketorder',
    {
      orders: [
        { ...SBIN, quantity: 1, price: 0.1 },
        { ...SBIN, quantity: 1, price: 0.2 },
      ],
    },
    undefined,
    0.3,
  ],
  [
    'a stop at the market',
    'placeorder',
    { ...INFY, quantity: 10, price: 0, trigger_price: 5 },
    undefined,
    50,
  ],
  [
    'a market order with a price that is ignored',
    'placeorder',
    { ...SBIN, quantity: 10, pricetype: 'MARKET', price: 1, trigger_price: 2 },
    undefined,
    8000,
  ],
  [
    'a stop at the market with a price that is ignored',
    'placeorder',
    { ...SBIN, quantity: 10, pricetype: 'SL-M', price: 1, trigger_price: 790 },
    undefined,
    7900,
  ],
  [
    'a GTT at the market with a price that is ignored',
    'placegttorder',
    { ...SBIN, quantity: 2, pricetype: 'MARKET', price: 1, triggerprice_sl: 700 },
    undefined,
    1400,
  ],
  ['an order without a price', 'placeorder', { ...INFY, quantity: 10 }, undefined, undefined],
  ['a split', 'splitorder', { ...SBIN, quantity: 100, splitsize: 30 }, undefined, 80_000],
  [
    'a basket, with each of its orders',
    'basketorder',
    {
      orders: [
        { ...SBIN, quantity: 1 },
        { ...SBIN, quantity: 2, price: 700 },
        { ...INFY, quantity: 3, price: '10' },
      ],
    },
    undefined,
    2230,
  ],
  [
    'a basket with one order without a price',
    'basketorder',
    {
      orders: [
        { ...SBIN, quantity: 1 },
        { ...INFY, quantity: 1 },
      ],
    },
    undefined,
    undefined,
  ],
  ['a smart order that closes', 'smartorder', { ...SBIN, quantity: 0, position_size: 0 }, 16, 12_800],
  ['a smart order without a position', 'smartorder', { ...SBIN, quantity: 5, position_size: 0 }, 5, 4000],
  [
    'a smart order whose trade is not known',
    'smartorder',
    { ...SBIN, position_size: 0 },
    undefined,
    undefined,
  ],
  [
    'option legs at their limits',
    'optionsmultiorder',
    {
      legs: [
        { quantity: 65, price: 10 },
        { quantity: 65, price: 5 },
      ],
    },
    undefined,
    975,
  ],
  [
    'option legs at the market',
    'optionsmultiorder',
    { legs: [{ quantity: 65, price: 0 }] },
    undefined,
    undefined,
  ],
  [
    'a GTT with two triggers, of which one fires',
    'placegttorder',
    {
      ...SBIN,
      quantity: 2,
      price: 0,
      triggerprice_sl: 700,
      stoploss: 699,
      triggerprice_tg: 900,
      target: 905,
    },
    undefined,
    1810,
  ],
  ['a GTT', 'placegttorder', { ...SBIN, quantity: 2, price: 690, triggerprice_sl: 700 }, undefined, 1380],
])('the value of %s', (_name, operation, payload, trade, expected) => {
  expect(valueIn(operation, { ...payload }, trade, worth)).toBe(expected)
})
