import { expect, test, vi } from 'vitest'
import { OrderHistory } from '../../../../src/core/orders/index.js'
import { QuantityStore } from '../../../../src/core/orders/journal/quantity-store.js'
import { changeBy } from '../../../../src/core/orders/journal/reconciliation/verdict.js'
import { payloadOf, type TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }
const LIMIT = {
  symbol: 'INFY',
  exchange: 'NSE',
  product: 'MIS',
  quantity: 100,
  pricetype: 'LIMIT',
  price: 1400,
} as const

/** A desk with a limit order that rests. */
async function withResting() {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { body, orderRef: ref = '' } = await desk.settled(desk.place(LIMIT))
  return { kite, desk, ref, orderid: String(body.orderid) }
}

function change(desk: TestDesk, orderid: string, quantity: number) {
  const { underlying_ltp: _, ...line } = payloadOf({ ...LIMIT, quantity })
  return desk.settled(desk.orders.changes.modify({ ...line, orderid }, CONTEXT))
}

/** The quantity in the history, and what a verdict of "filled" would record without a quantity. */
async function known({ service }: TestDesk, ref: string) {
  const { databases, journal } = service
  const [past] = await new OrderHistory(databases.svc, journal).orders(USER, { limit: 1 })
  const row = await journal.find(ref)
  if (!row) throw new Error('the order is not in the journal')
  const { detail, state } = changeBy({ outcome: 'filled', price: 1400, reason: 'seen', by: USER }, row)
  return { past: past?.quantity, state, filled: detail.filled?.quantity }
}

test.each([20, 150])(
  'a changed order has the quantity of now (%i), also after a restart',
  async (quantity) => {
    const { desk, kite, orderid, ref } = await withResting()
    expect((await known(desk, ref)).past).toBe(100)
    expect(await change(desk, orderid, quantity)).toMatchObject({ code: 'ok' })
    await desk.close()
    const again = await kite.desk({ home: desk.home, clock: desk.clock })
    expect(await known(again, ref)).toEqual({ past: quantity, state: 'filled', filled: quantity })
  },
)

test('a change that the broker refused leaves the quantity', async () => {
  const { desk, kite, orderid, ref } = await withResting()
  kite.fake.script.set({ route: 'modify', actions: ['reject:InputException:No'] })
  expect((await change(desk, orderid, 20)).code).toBe('broker_rejected')
  expect((await known(desk, ref)).past).toBe(100)
})

test('a change that the broker made stands, also when its quantity cannot be stored', async () => {
  const { desk, orderid } = await withResting()
  vi.spyOn(QuantityStore.prototype, 'changed').mockRejectedValue(new Error('the disk is full'))
  expect(await change(desk, orderid, 20)).toMatchObject({ code: 'ok' })
})
