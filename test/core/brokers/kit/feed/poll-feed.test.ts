import { expect, it } from 'vitest'
import { BrokerError, type BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { PollFeed } from '../../../../../src/core/brokers/kit/feed/poll-feed.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'

const order = (orderId: string, changes: Partial<BrokerOrder> = {}): BrokerOrder => ({
  orderId,
  symbol: 'INFY',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  price: 0,
  triggerPrice: 0,
  priceType: 'MARKET',
  product: 'MIS',
  status: 'open',
  filledQuantity: 0,
  pendingQuantity: 10,
  averagePrice: 0,
  rejectionReason: '',
  timestamp: 0,
  ...changes,
})

/** A feed that reads this book every second. */
function open(book: { orders: BrokerOrder[]; isDown?: boolean }) {
  const clock = new VirtualClock(0)
  const log = recordingLogger()
  const list = async () => {
    if (book.isDown) throw new BrokerError('unavailable', 'down', { sent: 'maybe' })
    return book.orders
  }
  const feed = new PollFeed({ clock, log, list, everyMs: 1000 })
  const updates: string[] = []
  const opened = feed.open(({ orderId, status, filledQuantity }) => {
    updates.push(`${orderId} ${status} ${filledQuantity}`)
  })
  return { clock, log, feed, updates, opened }
}

it('reports new orders and changes of status or fill, and nothing of the first read', async () => {
  const book = { orders: [order('1'), order('2')] }
  const { clock, feed, updates, opened } = open(book)
  await opened
  await clock.advance(3000)
  expect(updates).toEqual([])
  book.orders = [order('1', { filledQuantity: 4 }), order('2'), order('3')]
  await clock.advance(2000)
  expect(updates).toEqual(['1 open 4', '3 open 0'])
  book.orders = [order('1', { filledQuantity: 10, status: 'complete' }), order('2'), order('3')]
  await clock.advance(1000)
  expect(updates).toEqual(['1 open 4', '3 open 0', '1 complete 10'])
  expect(feed.state()).toEqual({ connected: true, connections: 1 })
  feed.close()
  expect(clock.pending).toBe(0)
})

it('counts as disconnected while the book cannot be read, and as connected again after it', async () => {
  const book = { orders: [order('1')], isDown: false }
  const { clock, feed, log, updates, opened } = open(book)
  await opened
  book.isDown = true
  await clock.advance(3000)
  expect(feed.state()).toEqual({ connected: false, connections: 1 })
  expect(log.lines.map(({ event }) => event)).toEqual(['broker.order_poll_failed'])
  book.isDown = false
  book.orders = [order('1', { status: 'cancelled' })]
  await clock.advance(1000)
  expect([feed.state(), updates]).toEqual([{ connected: true, connections: 2 }, ['1 cancelled 0']])
  feed.close()
})

it('cannot be opened while the book cannot be read', async () => {
  const { feed, opened } = open({ orders: [], isDown: true })
  await expect(opened).rejects.toMatchObject({ kind: 'unavailable' })
  expect(feed.state().connected).toBe(false)
})
