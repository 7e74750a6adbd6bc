import { expect, test } from 'vitest'
import {
  angelTime,
  orderRow,
  positionRow,
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
const ORDER = { ...WHAT, orderid: '1', transactiontype: 'BUY', quantity: '10', filledshares: '0' }
const TRADE = { ...WHAT, orderid: '1', fillid: '2', transactiontype: 'BUY', fillsize: '10' }
const RULE = { ...WHAT, id: 1, transactiontype: 'BUY', qty: 10 }

test.each([
  ['position', positionRow, { ...WHAT, netqty: '-10' }, 'netqty'],
  ['order', orderRow, ORDER, 'quantity'],
  ['trade', tradeRow, TRADE, 'fillsize'],
  ['rule', ruleRow, RULE, 'qty'],
] as const)('a row of a %s cannot be read without its quantity', (_name, schema, row, field) => {
  expect(schema.safeParse(row).success).toBe(true)
  for (const nothing of [undefined, null, '', ' ', 'x'])
    expect(schema.safeParse({ ...row, [field]: nothing }).success).toBe(false)
})
