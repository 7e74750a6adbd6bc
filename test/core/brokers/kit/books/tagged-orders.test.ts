import { expect, test } from 'vitest'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { ordersByTag } from '../../../../../src/core/brokers/kit/books/tagged-orders.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

const order = (orderId: string, tag: string, status: BrokerOrder['status']): BrokerOrder => ({
  orderId,
  tag,
  symbol: 'INFY',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 1,
  price: 0,
  triggerPrice: 0,
  priceType: 'MARKET',
  product: 'MIS',
  status,
  filledQuantity: 0,
  pendingQuantity: 0,
  averagePrice: 0,
  rejectionReason: '',
  timestamp: 0,
})

const BOOK = [
  order('1', 'a', 'rejected'),
  order('2', 'a', 'open'),
  order('3', 'b', 'rejected'),
  order('4', 'b', 'rejected'),
  order('5', 'c', 'complete'),
]

test('of several orders with one tag an accepted one counts, and they are logged', async () => {
  const log = recordingLogger()
  const withTag = async (tag: string) => BOOK.filter((row) => row.tag === tag)
  const found = await ordersByTag({ log }, ['a', 'b', 'c', 'd'], withTag)
  expect([...found].map(([tag, { orderId }]) => [tag, orderId])).toEqual([
    ['a', '2'],
    ['b', '3'],
    ['c', '5'],
  ])
  expect(log.lines.map(({ event, fields }) => [event, fields])).toEqual([
    ['broker.tag_not_unique', { tag: 'a', orders: 2 }],
    ['broker.tag_not_unique', { tag: 'b', orders: 2 }],
  ])
})
