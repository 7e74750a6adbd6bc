import { expect, it } from 'vitest'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { faultOfUpdate } from '../../../../../src/core/brokers/kit/feed/credible-update.js'

const UPDATE: BrokerOrder = {
  ...{
    orderId: '1',
    symbol: 'INFY',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    price: 0,
    triggerPrice: 0,
  },
  ...{ priceType: 'MARKET', product: 'MIS', status: 'open', filledQuantity: 4, pendingQuantity: 6 },
  ...{ averagePrice: 1500, rejectionReason: '', timestamp: 1 },
}

it.each<Partial<BrokerOrder>>([
  {},
  { filledQuantity: 10 },
  { quantity: 0 },
  { filledQuantity: 0, averagePrice: 0 },
  { status: 'complete', filledQuantity: 10 },
  { status: 'complete', quantity: 0 },
  { status: 'cancelled', filledQuantity: 4 },
])('an update with %o is credible', (changes) =>
  expect(faultOfUpdate({ ...UPDATE, ...changes })).toBeUndefined(),
)

it.each<Partial<BrokerOrder>>([
  { filledQuantity: 11 },
  { filledQuantity: -1 },
  { filledQuantity: Number.NaN },
  { filledQuantity: Number.POSITIVE_INFINITY },
  { quantity: -10 },
  { averagePrice: -0.05 },
  { averagePrice: Number.NaN },
  { orderId: '' },
  { status: 'complete', filledQuantity: 9 },
  { status: 'complete', filledQuantity: 0 },
  { status: 'complete', quantity: 0, filledQuantity: 0 },
])('an update with %o is not', (changes) => {
  expect(faultOfUpdate({ ...UPDATE, ...changes })).toMatch(/\w/)
})
