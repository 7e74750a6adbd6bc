import { expect, test } from 'vitest'
import type { StreamFrame } from '../../src/core/events/index.js'
import { TestDesk, USER } from '../support/desk.js'

/** With three subscribers each, more than the bus has places for. */
const ORDERS = 500

/** So many limit orders that wait in the sandbox; nothing of them is left to be told. */
async function deskWithWaitingOrders(): Promise<TestDesk> {
  const desk = await TestDesk.open()
  await desk.service.settings.setAnalyzeMode(true)
  for (let placed = 0; placed < ORDERS; placed += 50) {
    const some = Array.from({ length: 50 }, () => desk.place({ pricetype: 'LIMIT', price: 1, quantity: 1 }))
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
  const answer = await desk.settled(service.orders.changes.cancelAll({ strategy: 'test' }, context))
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

test('what is still to be told when the service stops is told before it is gone', async () => {
  const desk = await deskWithWaitingOrders()
  await desk.settled(desk.service.sandbox.cancelAll(USER))
  await desk.close()
  expect(desk.events.filter(({ topic }) => topic === 'order.update')).toHaveLength(ORDERS)
})
