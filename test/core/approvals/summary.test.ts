import fc from 'fast-check'
import { expect, test } from 'vitest'
import { summarise } from '../../../src/core/approvals/index.js'
import { ORDER } from './rig.js'

const plain = {
  strategy: 'Trend',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  price: '812.5',
  trigger_price: '0',
  price_type: 'LIMIT',
  product_type: 'MIS',
}
const leg = { offset: 'ATM', option_type: 'CE', action: 'sell', quantity: 75 }
const multi = { strategy: 'Straddle', underlying: 'NIFTY', exchange: 'NFO' }

/** One row per rule of the table of the contract. */
const CASES: [name: string, operation: string, payload: Record<string, unknown>, expected: object][] = [
  ['placeorder', 'placeorder', ORDER, plain],
  [
    'placeorder, nothing given',
    'placeorder',
    {},
    {
      strategy: 'N/A',
      symbol: '',
      exchange: '',
      action: '',
      quantity: 0,
      price: '0',
      trigger_price: '0',
      price_type: 'MARKET',
      product_type: '',
    },
  ],
  [
    'names of the older API',
    'placeorder',
    { ...ORDER, pricetype: undefined, product: undefined, price_type: 'SL', product_type: 'NRML' },
    { ...plain, price_type: 'SL', product_type: 'NRML' },
  ],
  [
    'numbers as text',
    'placeorder',
    { ...ORDER, quantity: '25', price: '1.50' },
    { ...plain, quantity: 25, price: '1.50' },
  ],
  ['a fraction on CRYPTO', 'placeorder', { ...ORDER, quantity: 0.25 }, { ...plain, quantity: 0.25 }],
  ['a type of the future', 'bracketorder', ORDER, plain],
  ['smartorder', 'smartorder', { ...ORDER, position_size: 5 }, plain],
  ['splitorder', 'splitorder', { ...ORDER, quantity: 105, splitsize: 20 }, { ...plain, quantity: 105 }],
  [
    'basketorder',
    'basketorder',
    { strategy: 'Trend', orders: [ORDER, { ...ORDER, quantity: '5' }, { ...ORDER, action: 'SELL' }] },
    {
      ...plain,
      symbol: 'Basket (3 orders)',
      exchange: 'Multiple',
      action: 'Multiple',
      quantity: 25,
      price: 'Multiple',
      price_type: 'Multiple',
      product_type: 'Multiple',
    },
  ],
  [
    'basketorder of one',
    'basketorder',
    { orders: [ORDER] },
    {
      ...plain,
      strategy: 'N/A',
      symbol: 'Basket (1 orders)',
      price: 'Multiple',
      price_type: 'Multiple',
      product_type: 'Multiple',
    },
  ],
  [
    'basketorder of none',
    'basketorder',
    { orders: [] },
    { symbol: 'Basket (0 orders)', exchange: '', action: '', quantity: 0 },
  ],
  [
    'optionsorder',
    'optionsorder',
    { ...multi, ...leg, pricetype: 'MARKET', product: 'NRML', price: 0, trigger_price: 0 },
    {
      strategy: 'Straddle',
      symbol: 'NIFTY ATM CE',
      exchange: 'NFO',
      action: 'sell',
      quantity: 75,
      price: '0',
      trigger_price: '0',
      price_type: 'MARKET',
      product_type: 'NRML',
    },
  ],
  [
    'optionsmultiorder, legs alike',
    'optionsmultiorder',
    { ...multi, legs: [leg, { ...leg, action: 'SELL', pricetype: 'market' }] },
    {
      symbol: 'NIFTY (2 legs)',
      exchange: 'NFO',
      action: 'SELL',
      quantity: 150,
      price: 'Multiple',
      trigger_price: 'Multiple',
      price_type: 'MARKET',
      product_type: 'MIS',
    },
  ],
  [
    'optionsmultiorder, legs apart',
    'optionsmultiorder',
    { ...multi, legs: [leg, { ...leg, action: 'BUY', pricetype: 'LIMIT', product: 'NRML' }] },
    { action: 'MULTI', price_type: 'Multiple', product_type: 'Multiple' },
  ],
  [
    'placegttorder SINGLE',
    'placegttorder',
    { ...ORDER, pricetype: undefined, trigger_type: 'SINGLE', trigger_price: 800 },
    { ...plain, trigger_price: '800', price_type: 'LIMIT' },
  ],
  [
    'placegttorder OCO',
    'placegttorder',
    { ...ORDER, trigger_type: 'OCO', triggerprice_sl: 780, triggerprice_tg: 850.5 },
    { ...plain, trigger_price: '780 / 850.5' },
  ],
  [
    'hostile shapes',
    'optionsmultiorder',
    { strategy: { a: 1 }, underlying: [], legs: [null, 7, { quantity: 'NaN', action: {} }] },
    { strategy: 'N/A', symbol: ' (3 legs)', quantity: 0, action: 'MULTI', price_type: 'MARKET' },
  ],
]

test.each(CASES)('%s', (_name, operation, payload, expected) => {
  expect(summarise(operation, payload)).toMatchObject(expected)
})

test('the quantity of a basket has the decimals of a quantity, whatever its orders have', () => {
  const quantities = fc.array(
    fc.integer({ min: 1, max: 1e12 }).map((units) => units / 1e8),
    { minLength: 1, maxLength: 20 },
  )
  fc.assert(
    fc.property(quantities, (all) => {
      const orders = all.map((quantity) => ({ ...ORDER, quantity }))
      const { quantity } = summarise('basketorder', { strategy: 'Trend', orders })
      expect(String(quantity)).toBe(String(Number(quantity.toFixed(8))))
    }),
  )
})
