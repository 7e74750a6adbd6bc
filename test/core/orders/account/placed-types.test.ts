import { expect, test } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { withPlacedTypes } from '../../../../src/core/orders/account/placed-types.js'
import { newOrderRef } from '../../../../src/core/orders/order-ref.js'
import type { PriceType } from '../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../src/core/time/index.js'

const REF = newOrderRef(new VirtualClock('2026-11-20T11:00:00+05:30'))
const ORDER: BrokerOrder = {
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  orderId: '1',
  tag: REF,
  action: 'SELL',
  quantity: 10,
  price: 0,
  triggerPrice: 0,
  priceType: 'LIMIT',
  status: 'open',
  filledQuantity: 4,
  pendingQuantity: 6,
  averagePrice: 100,
  rejectionReason: '',
  timestamp: 0,
}

test.each<[string, Partial<BrokerOrder>, PriceType | readonly PriceType[], PriceType]>([
  ['the rest of a market order', {}, 'MARKET', 'MARKET'],
  ['a stop at the market that the broker shows with a limit', { priceType: 'SL' }, 'SL-M', 'SL-M'],
  ['a limit order', {}, 'LIMIT', 'LIMIT'],
  ['a limit order whose change to the market is in doubt', {}, ['MARKET', 'LIMIT'], 'MARKET'],
  ['a market order whose change to a stop is in doubt', {}, ['MARKET', 'SL'], 'MARKET'],
  ['a stop with a limit', { priceType: 'SL' }, 'SL', 'SL'],
  ['a stop that the broker shows as triggered', {}, 'SL', 'LIMIT'],
  ['a market order that has ended', { status: 'cancelled' }, 'MARKET', 'LIMIT'],
])('%s', async (_, shown, placed, expected) => {
  const [order] = await withPlacedTypes(
    [{ ...ORDER, ...shown }],
    async () => new Map([[REF, [placed].flat()]]),
  )
  expect(order?.priceType).toBe(expected)
})

test('orders of others stay as the broker shows them, and nothing is read for them', async () => {
  const { tag: _, ...untagged } = ORDER
  const others = [untagged, { ...ORDER, tag: 'ANOTHERTERMINAL' }]
  const read = () => Promise.reject(new Error('nothing to read'))
  expect(await withPlacedTypes(others, read)).toEqual(others)
})
