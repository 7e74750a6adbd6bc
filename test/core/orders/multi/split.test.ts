import { expect, test } from 'vitest'
import { ordersOfParts } from '../../../../src/core/orders/multi/split.js'

const LINE = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 105,
  pricetype: 'LIMIT',
  product: 'MIS',
  price: 700,
  trigger_price: 0,
  disclosed_quantity: 10,
} as const

test.each([
  [10, [10, 10, 10, 10, 10, 5]],
  [50, [20, 20, 20, 20, 20, 5]],
  [0, [0, 0, 0, 0, 0, 0]],
])('no part of a split discloses more than it has: %i', (disclosed, parts) => {
  const orders = ordersOfParts({ ...LINE, disclosed_quantity: disclosed }, 20, 'test')
  expect(orders.map(({ order }) => order.quantity)).toEqual([20, 20, 20, 20, 20, 5])
  expect(orders.map(({ order }) => order.disclosed_quantity)).toEqual(parts)
})
