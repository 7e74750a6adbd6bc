import { expect, test } from 'vitest'
import { modifyGttPayload, type PlaceContext } from '../../../../src/core/orders/index.js'
import type { OrderAnswer } from '../../../../src/daemon/orders/answer.js'
import { payloadOf, type TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'
import { eventually } from '../../../support/eventually.js'
import { setMultiplierAt } from '../../brokers/zerodha/rig.js'

/* Before Kite takes a change of an order that this connection has not seen, the variety of the order is read. */

const CONTEXT: PlaceContext = { userId: USER, source: 'api' }
const LIMIT = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', pricetype: 'LIMIT', price: 1390 } as const

/** A desk with a resting order, on a connection that has not seen it. */
async function withUnseenOrder() {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const { body } = await desk.settled(desk.place(LIMIT))
  await kite.signIn(desk)
  const orderid = String(body.orderid)
  return { desk, fake: kite.fake, orderid, read: `GET /orders/${orderid}` }
}

const CHANGES: Record<string, (desk: TestDesk, orderid: string) => Promise<OrderAnswer>> = {
  modifyorder: ({ orders }, orderid) => {
    const { underlying_ltp: _, ...line } = payloadOf({ ...LIMIT, price: 1391 })
    return orders.changes.modify({ ...line, orderid }, CONTEXT)
  },
  cancelorder: ({ orders }, orderid) => orders.changes.cancel({ strategy: 't', orderid }, CONTEXT),
}

test.each([
  {
    operation: 'modifyorder',
    name: 'trading is stopped',
    happen: ({ service }: TestDesk) => service.risk.setKillSwitch(true, 'too fast', USER),
    code: 'kill_switch',
  },
  {
    operation: 'modifyorder',
    name: 'the service goes to Analyzer mode',
    happen: ({ service }: TestDesk) => service.settings.setAnalyzeMode(true),
    code: 'conflict',
  },
  {
    operation: 'cancelorder',
    name: 'the service goes to Analyzer mode',
    happen: ({ service }: TestDesk) => service.settings.setAnalyzeMode(true),
    code: 'conflict',
  },
])('a $operation is not sent if $name while its order is read', async ({ operation, happen, code }) => {
  const { desk, fake, orderid, read } = await withUnseenOrder()
  fake.script.set({ route: 'order', actions: ['held'] })
  const change = CHANGES[operation]?.(desk, orderid)
  await eventually(() => fake.requests.includes(read))
  await happen(desk)
  fake.release()
  expect((await change)?.code).toBe(code)
  expect(fake.requests.filter((request) => /^(PUT|DELETE) /.test(request))).toEqual([])
})

test.each(Object.keys(CHANGES))(
  'a %s whose order cannot be read is not in doubt: nothing was sent',
  async (operation) => {
    const { desk, fake, orderid } = await withUnseenOrder()
    fake.script.set({ route: 'order', actions: ['5xx_before'] })
    const answer = await desk.settled(CHANGES[operation]?.(desk, orderid) ?? Promise.reject())
    expect([answer.code, fake.requests.filter((request) => /^(PUT|DELETE) /.test(request))]).toEqual([
      'unavailable',
      [],
    ])
  },
)

test('a change of an order that Kite counts in lots reads the contract sizes of a new connection first', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const gold = {
    symbol: 'GOLDM31JAN30FUT',
    exchange: 'MCX',
    product: 'NRML',
    pricetype: 'LIMIT',
    price: 70_000,
    quantity: 10,
  } as const
  const { body } = await desk.settled(desk.place(gold))
  const orderid = String(body.orderid)
  await kite.signIn(desk)
  setMultiplierAt(kite.fake, 100)
  kite.fake.book.hold('MCX:GOLDM30JANFUT', 'NRML', 2)
  const { underlying_ltp: _, ...line } = payloadOf({ ...gold, quantity: 20 })
  const { code, body: answer } = await desk.settled(desk.orders.changes.modify({ ...line, orderid }, CONTEXT))
  expect(code).toBe('unsupported')
  expect(JSON.stringify(answer)).toContain('multiplier 100 of GOLDM')
  expect(kite.fake.requests.filter((request) => request.startsWith('PUT '))).toEqual([])
})

test('a GTT in MTF, which another program has placed, is not moved into another product; it can be cancelled', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const leg = { exchange: 'NSE', tradingsymbol: 'INFY', transaction_type: 'SELL', order_type: 'LIMIT' }
  const trigger = kite.fake.triggers.place({
    type: 'single',
    condition: JSON.stringify({ ...leg, trigger_values: [1400], last_price: 1500 }),
    orders: JSON.stringify([{ ...leg, product: 'MTF', quantity: 5, price: 1390 }]),
  })
  const trigger_id = String(trigger.trigger_id)
  const change = modifyGttPayload.parse({
    strategy: 't',
    trigger_id,
    trigger_type: 'SINGLE',
    exchange: 'NSE',
    symbol: 'INFY',
    action: 'SELL',
    product: 'CNC',
    quantity: 5,
    price: 1380,
    triggerprice_sl: 1400,
  })
  const refused = await desk.settled(desk.orders.gtts.modify(change, CONTEXT))
  expect(refused).toMatchObject({ status: 501, code: 'unsupported' })
  expect(refused.body.message).toContain('A GTT in product MTF cannot be changed here.')
  expect(kite.fake.requests.filter((request) => request.startsWith('PUT '))).toEqual([])
  const cancelled = await desk.settled(desk.orders.gtts.cancel({ strategy: 't', trigger_id }, CONTEXT))
  expect(cancelled.code).toBe('ok')
})

test.each(['the number', 'our reference'])(
  'an order at the market that was changed to a limit, named by %s, counts as a limit order in a close',
  async (name) => {
    const kite = await KiteDesk.start()
    const desk = await kite.desk()
    const { changes } = desk.orders
    const line = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', quantity: 10 } as const
    await desk.settled(desk.place(line))
    kite.fake.book.progress.stepMs = 3_600_000
    const { body, orderRef } = await desk.settled(desk.place({ ...line, action: 'SELL' }))
    const close = async () => (await desk.settled(changes.close({ strategy: 't' }, CONTEXT))).body
    expect(await close()).not.toMatchObject({ closed_positions: 1 })

    const orderid = name === 'the number' ? String(body.orderid) : String(orderRef)
    const { underlying_ltp: _, ...limit } = payloadOf({
      ...line,
      ...({ action: 'SELL', pricetype: 'LIMIT', price: 1600 } as const),
    })
    expect((await desk.settled(changes.modify({ ...limit, orderid }, CONTEXT))).code).toBe('ok')
    expect(await close()).toMatchObject({ closed_positions: 1 })
  },
)
