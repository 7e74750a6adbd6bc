import { expect, test } from 'vitest'
import {
  angelTime,
  candles,
  funds,
  holdingRow,
  margin,
  orderRow,
  positionRow,
  quoteRow,
  ruleRow,
  tradeRow,
} from '../../../../src/core/brokers/angel/wire.js'

const AT = Date.parse('2026-11-29T10:15:00+05:30')

test.each([
  ['29-Nov-2026 10:15:00', AT],
  // A time without a zone is one of India, wherever this machine is.
  ['2026-11-29 10:15:00', AT],
  ['2026-11-29T10:15:00+05:30', AT],
  ['2026-11-29T04:45:00Z', AT],
  ['2026-11-29T10:15:00', 0],
  ['', 0],
])('the time %s is %d', (written, at) => {
  expect(angelTime(written)).toBe(at)
})

const WHAT = { exchange: 'NSE', tradingsymbol: 'INFY-EQ', symboltoken: '1594' }
const HOLDING = { ...WHAT, quantity: '10', averageprice: 700 }
const QUOTE = { exchange: 'NSE', symbolToken: '1594', ltp: 1500 }
const MARGIN = { totalMarginRequired: 1000 }
const FUNDS = { availablecash: '1000.50' }
const ORDER = { ...WHAT, orderid: '1', transactiontype: 'BUY', quantity: '10', filledshares: '0' }
const TRADE = {
  ...WHAT,
  orderid: '1',
  fillid: '2',
  transactiontype: 'BUY',
  fillsize: '10',
  fillprice: '1500',
}
const RULE = { ...WHAT, id: 1, transactiontype: 'BUY', qty: 10 }

test.each([
  ['position', positionRow, { ...WHAT, netqty: '-10' }, 'netqty'],
  ['order', orderRow, ORDER, 'quantity'],
  ['trade', tradeRow, TRADE, 'fillsize'],
  ['trade', tradeRow, TRADE, 'fillprice'],
  ['holding', holdingRow, HOLDING, 'quantity'],
  ['quote', quoteRow, QUOTE, 'ltp'],
  ['margin', margin, MARGIN, 'totalMarginRequired'],
  ['balance', funds, FUNDS, 'availablecash'],
  ['rule', ruleRow, RULE, 'qty'],
] as const)('a %s cannot be read without the number that it is about: %#', (_name, schema, row, field) => {
  expect(schema.safeParse(row).success).toBe(true)
  for (const nothing of [undefined, null, '', ' ', 'x'])
    expect(schema.safeParse({ ...row, [field]: nothing }).success).toBe(false)
})

test('a bar cannot be read without one of its prices', () => {
  const bar = ['2026-11-27T10:00:00+05:30', 1, 2, 0.5, 1.5, 10]
  expect(candles.safeParse([bar]).success).toBe(true)
  for (const place of [1, 2, 3, 4])
    expect(candles.safeParse([bar.map((value, at) => (at === place ? null : value))]).success).toBe(false)
})
