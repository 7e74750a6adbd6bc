import { expect, test } from 'vitest'
import { placeGttPayload } from '../../../../src/core/orders/index.js'
import { newOrderRef } from '../../../../src/core/orders/order-ref.js'
import { parseWith } from '../../../../src/core/validation/index.js'
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
    orderRef: newOrderRef(desk.clock),
    userId: USER,
    operation,
    source: 'api' as const,
    broker,
    mode: 'live' as const,
    state: 'claimed' as const,
    payload: payloadOf(),
  }
  await journal.open([entry])
  const id = String(body.orderid)
  const isGtt = operation === 'placegttorder'
  await journal.move(entry.orderRef, 'accepted', isGtt ? { triggerId: id } : { orderId: id })

  const cancel = { strategy: 'test', orderid: entry.orderRef }
  const refused = await desk.orders.changes.cancel(cancel, { userId: USER, source: 'api' })
  expect(refused).toMatchObject({ status: 404, code: 'not_found' })
  const [order] = await brokers.client().orders.list()
  expect(order?.status).toBe('open')
  const { data } = await account.orderStatus(USER, entry.orderRef)
  expect(data).toMatchObject({ order_ref: entry.orderRef, state: 'accepted' })
  expect(data).not.toHaveProperty('order_status')
})

test('the reference of a GTT that fired names the order that it sent', async () => {
  const desk = await TestDesk.open()
  desk.service.openOrders.start()
  const gtt = parseWith(placeGttPayload, {
    strategy: 't',
    trigger_type: 'SINGLE',
    exchange: 'NSE',
    symbol: 'SBIN',
    action: 'BUY',
    product: 'CNC',
    quantity: 5,
    price: 700,
    triggerprice_tg: 1,
  })
  const { orderRef: orderid = '' } = await desk.orders.gtts.place(gtt, { userId: USER, source: 'api' })
  for (let second = 0; second < 6; second++) await desk.settled(desk.clock.sleep(1000))
  const { data } = await desk.service.account.orderStatus(USER, orderid)
  expect(data).toMatchObject({ order_ref: orderid, state: 'triggered', order_status: 'open' })
  const cancelled = await desk.orders.changes.cancel(
    { strategy: 't', orderid },
    { userId: USER, source: 'api' },
  )
  expect(cancelled).toMatchObject({ code: 'ok' })
  const [order] = await desk.service.brokers.client().orders.list()
  expect(order?.status).toBe('cancelled')
})
