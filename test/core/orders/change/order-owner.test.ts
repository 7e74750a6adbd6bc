import { expect, test } from 'vitest'
import { newOrderRef } from '../../../../src/core/orders/order-ref.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

/*
 * Two brokers, or an order and a GTT, may have the same id. A reference must not lead to the order of
 * another.
 */

test.each([
  ['an order of another broker', 'placeorder', 'zerodha'],
  ['a GTT', 'placegttorder', 'simulated'],
])('the reference of %s does not change or show an order with the same id', async (_, operation, broker) => {
  const desk = await TestDesk.open()
  const { account, brokers, journal } = desk.service
  const { body } = await desk.place({ pricetype: 'LIMIT', price: 700 })
  const entry = {
    ...{ orderRef: newOrderRef(desk.clock), userId: USER, operation, source: 'api' as const, broker },
    ...{ mode: 'live' as const, state: 'claimed' as const, payload: payloadOf() },
  }
  await journal.open(entry)
  await journal.move(entry.orderRef, 'accepted', { orderId: String(body.orderid) })

  const cancel = { strategy: 'test', orderid: entry.orderRef }
  const refused = await desk.orders.changes.cancel(cancel, { userId: USER, source: 'api' })
  expect(refused).toMatchObject({ status: 404, code: 'not_found' })
  const [order] = await brokers.client().orders.list()
  expect(order?.status).toBe('open')
  const { data } = await account.orderStatus(USER, entry.orderRef)
  expect(data).toMatchObject({ order_ref: entry.orderRef, state: 'accepted' })
  expect(data).not.toHaveProperty('order_status')
})
