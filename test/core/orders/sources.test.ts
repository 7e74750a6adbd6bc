import { expect, test } from 'vitest'
import { BASKET_ORDER } from '../../../src/core/orders/multi/basket.js'
import { BatchStore } from '../../../src/core/orders/multi/plans/batch-store.js'
import { payloadOf, TestDesk, USER } from '../../support/desk/desk.js'

const { strategy: _strategy, underlying_ltp: _ltp, ...LINE } = payloadOf()

test.each(['api', 'flow', 'strategy'] as const)(
  'a change by %s waits for no approval: it is refused',
  async (source) => {
    const desk = await TestDesk.open()
    const { body } = await desk.place({ pricetype: 'LIMIT', price: 700 })
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const orderid = String(body.orderid)
    const cancelled = await desk.orders.changes.cancel({ strategy: 't', orderid }, { userId: USER, source })
    expect(cancelled).toMatchObject({ status: 403, code: 'forbidden' })
  },
)

test('a stored batch keeps the source it came from', async () => {
  const { service, clock } = await TestDesk.open()
  const context = { userId: USER, source: 'flow' } as const
  const { orderRef = '' } = await service.orders.multi.submit(
    BASKET_ORDER,
    { strategy: 't', orders: [LINE] },
    context,
  )
  const store = new BatchStore(service.databases.svc, clock)
  expect(await store.find(orderRef)).toMatchObject({ source: 'flow' })
})
