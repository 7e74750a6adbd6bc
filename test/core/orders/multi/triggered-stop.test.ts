import { expect, test } from 'vitest'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }
const UNITS = 20_000

/** Advances the market until it holds for an order of the book. */
async function until(desk: TestDesk, orderId: string, holds: (status: string) => boolean) {
  for (let second = 0; second < 600; second++) {
    const book = await desk.service.brokers.client().orders.list()
    if (holds(book.find((order) => order.orderId === orderId)?.status ?? '')) return
    await desk.clock.advance(1_000)
  }
  throw new Error(`order ${orderId} does not get there`)
}

const net = async (desk: TestDesk) =>
  (await desk.service.brokers.client().portfolio.positions()).find(({ symbol }) => symbol === 'SBIN')
    ?.quantity

/** A desk that holds a position, and whose stop of the whole position is triggered and filled in part. */
async function withTriggeredStop() {
  const desk = await TestDesk.open()
  const { market } = desk.service.brokers.client()
  const bought = await desk.place({ quantity: UNITS })
  await until(desk, String(bought.body.orderid), (status) => status === 'complete')
  const [quote] = await market.quotes([{ symbol: 'SBIN', exchange: 'NSE' }])
  const ltp = quote && 'ltp' in quote ? quote.ltp : 0
  const trigger_price = Number((ltp - 0.05).toFixed(2))
  const stop = { action: 'SELL', quantity: UNITS, pricetype: 'SL-M', trigger_price } as const
  const orderId = String((await desk.place(stop)).body.orderid)
  await until(desk, orderId, (status) => status === 'open')
  expect(await net(desk)).toBeGreaterThan(0)
  return { desk, stop: orderId, filled: () => until(desk, orderId, (status) => status === 'complete') }
}

test('a close does not sell a second time what a triggered SL-M order is selling', async () => {
  const { desk, filled } = await withTriggeredStop()
  const answer = await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
  expect(answer.body).toMatchObject({ closed_positions: 0, failed_closures: 1 })
  expect(JSON.stringify(answer.body)).toContain('triggered stops that close it wait')
  await filled()
  await desk.clock.advance(60_000)
  expect(await net(desk)).toBe(0)
})

test('a triggered SL-M order that stays open holds up a close until it is cancelled, as the answer says', async () => {
  const { desk, stop } = await withTriggeredStop()
  const close = () => desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
  expect(JSON.stringify((await close()).body)).toContain('If they stay open, cancel them first')
  const cancelled = await desk.settled(desk.orders.changes.cancel({ strategy: 't', orderid: stop }, CONTEXT))
  expect(cancelled.body.status).toBe('success')
  expect((await close()).body).toMatchObject({ closed_positions: 1, failed_closures: 0 })
  await desk.clock.advance(60_000)
  expect(await net(desk)).toBe(0)
})

test('a smart order counts what a triggered SL-M order of its position is selling', async () => {
  const { desk, filled } = await withTriggeredStop()
  const { underlying_ltp: _, ...line } = payloadOf({ quantity: 0 })
  const smart = () =>
    desk.settled(desk.orders.multi.submit(SMART_ORDER, { ...line, position_size: 0 }, CONTEXT))
  expect((await smart()).body.message).toBe('No OpenPosition Found. Not placing Exit order.')
  await filled()
  await desk.clock.advance(60_000)
  expect(await net(desk)).toBe(0)
})
