import { expect, test } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { onTheWay } from '../../../../src/core/orders/account/positions.js'

const REF = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const
const SALE: BrokerOrder = {
  ...REF,
  orderId: '1',
  action: 'SELL',
  quantity: 10,
  price: 0,
  triggerPrice: 0,
  priceType: 'MARKET',
  status: 'open',
  filledQuantity: 0,
  pendingQuantity: 10,
  averagePrice: 0,
  rejectionReason: '',
  timestamp: 0,
}

test.each<[string, Partial<BrokerOrder>, number]>([
  ['a market order that waits', {}, -10],
  ['a market order that is filled in part', { filledQuantity: 4, pendingQuantity: 6 }, -6],
  [
    'a stop at the market that is filled in part',
    { priceType: 'SL-M', filledQuantity: 4, pendingQuantity: 6 },
    -6,
  ],
  ['a stop at the market that the broker has just taken, or is about to cancel', { priceType: 'SL-M' }, 0],
  ['a stop that waits for its trigger', { priceType: 'SL-M', status: 'trigger pending' }, 0],
  ['a limit order that is filled in part', { priceType: 'LIMIT', filledQuantity: 4, pendingQuantity: 6 }, 0],
  ['an order of another product', { product: 'CNC' }, 0],
])('%s', (_, changes, quantity) => {
  expect(onTheWay([{ ...SALE, ...changes }], REF)).toBe(quantity)
})
