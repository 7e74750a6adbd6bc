import { expect, test } from 'vitest'
import type { EventTopics, StreamFrame, Topic } from '../../src/core/events/index.js'
import { TestDesk, USER } from '../support/desk/desk.js'
import { eventually } from '../support/eventually.js'

/** With three subscribers each, this exceeds the capacity of the bus. */
const ORDERS = 500

/** The number of limit orders that wait in the sandbox, all of whose events were delivered. */
async function deskWithWaitingOrders(): Promise<TestDesk> {
  const desk = await TestDesk.open()
  await desk.service.settings.setAnalyzeMode(true)
  for (let placed = 0; placed < ORDERS; placed += 50) {
    const some = Array.from({ length: 50 }, () => desk.place({ pricetype: 'LIMIT', price: 700, quantity: 1 }))
    for (const { code } of await desk.settled(Promise.all(some))) expect(code).toBe('ok')
    await desk.service.bus.idle()
  }
  desk.events.length = 0
  return desk
}

test('a request that changes hundreds of sandbox orders at once loses no event and no row of the log', async () => {
  const desk = await deskWithWaitingOrders()
  const { service } = desk
  const frames: StreamFrame[] = []
  service.stream.subscribe(USER, (frame) => frames.push(frame))
  const context = { userId: USER, source: 'api' } as const
  const answer = await desk.settled(desk.orders.changes.cancelAll({ strategy: 'test' }, context))
  expect(answer).toMatchObject({ code: 'ok', body: { canceled_orders: { length: ORDERS } } })
  await service.bus.idle()

  const told = frames.map(({ text }) => JSON.parse(text))
  const updates = told.filter(({ event }) => event === 'order_update')
  expect(new Set(updates.map(({ data }) => data.orderid)).size).toBe(ORDERS)
  expect(told.filter(({ event }) => event !== 'order_update')).toMatchObject([
    { event: 'analyzer_update', data: { request: { api_type: 'cancelallorder' } } },
  ])
  const [row] = await service.orderLogs.list('analyze', { limit: 1 })
  expect(row?.apiType).toBe('cancelallorder')
  expect(service.bus.stats().dropped).toBe(0)
})

const BURST = 2000

/** A subscriber whose callback takes a turn of the event loop for each event, and the events it received. */
function slowSubscriber<T extends Topic>(desk: TestDesk, topic: T): EventTopics[T][] {
  const told: EventTopics[T][] = []
  desk.service.bus.subscribe(topic, 'slow', async (event) => {
    await new Promise((resolve) => setImmediate(resolve))
    told.push(event)
  })
  return told
}

test('the events of 2,000 orders placed and cancelled in one turn are all published, and each order has its log row', async () => {
  const desk = await TestDesk.open()
  const { bus, orderLogs, orders, settings } = desk.service
  await settings.setAnalyzeMode(true)
  let acknowledged = 0
  const [placements, cancellations] = [
    slowSubscriber(desk, 'order.placed'),
    slowSubscriber(desk, 'order.cancelled'),
  ]
  const answers = Array.from({ length: BURST }, async () => {
    const { body, code } = await desk.place({ pricetype: 'LIMIT', price: 700, quantity: 1 })
    acknowledged += 1
    // An order does not wait for the subscribers of its events.
    if (acknowledged === BURST) expect(placements.length).toBeLessThan(BURST)
    return code === 'ok' ? String(body.orderid) : code
  })
  const placed = await desk.settled(Promise.all(answers))
  await bus.idle()
  expect(placements.map(({ orderid }) => orderid).sort()).toEqual(placed.sort())

  const context = { userId: USER, source: 'api' } as const
  const cancels = placed.map((orderid) => orders.changes.cancel({ strategy: 'test', orderid }, context))
  await desk.settled(Promise.all(cancels))
  await bus.idle()
  expect(cancellations.map(({ orderid }) => orderid).sort()).toEqual(placed)
  expect(await orderLogs.count('analyze', {})).toBe(2 * BURST)
  expect(bus.stats().dropped).toBe(0)
})

test('the events of 2,000 orders whose approvals expire together are all published', async () => {
  const desk = await TestDesk.open({ env: { APPROVAL_EXPIRY_SECONDS: '60' } })
  await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
  await Promise.all(Array.from({ length: BURST }, () => desk.place()))
  expect(await desk.published('pending_order_created')).toHaveLength(BURST)
  const updates = slowSubscriber(desk, 'pending_order_updated')
  await desk.clock.advance(60_000)
  await eventually(() => desk.service.approvals.count(USER) === 0)
  expect(await desk.published('pending_order_updated')).toHaveLength(BURST)
  expect(updates).toHaveLength(BURST)
  expect(desk.service.bus.stats().dropped).toBe(0)
})

test('a stop publishes all pending events first', async () => {
  const desk = await deskWithWaitingOrders()
  await desk.settled(desk.service.sandbox.cancelAll(USER))
  await desk.close()
  expect(desk.events.filter(({ topic }) => topic === 'order.update')).toHaveLength(ORDERS)
})
