import { describe, expect, test } from 'vitest'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'
import { setMultiplierAt } from '../../brokers/zerodha/rig.js'

/* The fake broker counts lots of MCX and CDS; the service counts units of the price everywhere. */

const CONTEXT = { userId: USER, source: 'api' } as const
const GOLDM = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML' } as const
const USDINR = { symbol: 'USDINR29JAN30FUT', exchange: 'CDS', product: 'NRML' } as const

/** A desk that trades live at the fake broker. */
async function opened() {
  const kite = await KiteDesk.start()
  return { desk: await kite.desk(), fake: kite.fake }
}

test('GOLDM BUY 10: the value of the dry run is what leaves, one lot', async () => {
  const { desk, fake } = await opened()
  const { body } = await desk.settled(
    desk.orders.single.preview(payloadOf({ ...GOLDM, quantity: 10 }), CONTEXT),
  )
  expect(body).toMatchObject({
    value: 721_500,
    checks: expect.arrayContaining([{ rule: 'instrument', ok: true }]),
  })
  expect(await desk.settled(desk.place({ ...GOLDM, quantity: 10 }))).toMatchObject({ status: 200 })
  expect(fake.ledger.placed.map(({ fields }) => fields.quantity)).toEqual(['1'])
  expect(await desk.service.brokers.client().portfolio.positions()).toMatchObject([{ quantity: 10 }])
})

test('USDINR: rules about the value see 84,552 for a lot, and a part of a lot is refused', async () => {
  const { desk, fake } = await opened()
  await desk.service.risk.change({ max_order_value: 80_000 }, USER)
  const dear = await desk.settled(desk.place({ ...USDINR, quantity: 1000 }))
  expect(dear).toMatchObject({
    code: 'risk_refused',
    body: { message: 'Order value ₹84,552.50 exceeds the limit of ₹80,000.00' },
  })
  await desk.service.risk.change({ max_order_value: 90_000 }, USER)
  expect(await desk.settled(desk.place({ ...USDINR, quantity: 1 }))).toMatchObject({
    status: 400,
    body: { message: 'Quantity must be in multiples of lot size 1000' },
  })
  expect(fake.ledger.placed).toEqual([])
  expect(await desk.settled(desk.place({ ...USDINR, quantity: 1000 }))).toMatchObject({ status: 200 })
  expect(fake.ledger.placed.map(({ fields }) => fields.quantity)).toEqual(['1'])
})

test.each([{ analyze: false }, { analyze: true }])(
  'a contract whose size is not settled is refused in a dry run and as an order (Analyzer mode: $analyze)',
  async ({ analyze }) => {
    const { desk, fake } = await opened()
    await desk.service.settings.setAnalyzeMode(analyze)
    const order = { symbol: 'NEWMETAL31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 1 } as const
    const { body } = await desk.settled(desk.orders.single.preview(payloadOf(order), CONTEXT))
    expect(body.checks).toContainEqual({
      rule: analyze ? 'sandbox' : 'instrument',
      ok: false,
      message: expect.stringContaining('contract size of NEWMETAL on MCX is not settled'),
    })
    expect(await desk.settled(desk.place(order))).toMatchObject({
      status: analyze ? 400 : 501,
      body: { message: expect.stringContaining('is not settled') },
    })
    expect(fake.ledger.placed).toEqual([])
  },
)

describe('a position that Kite values with another size', () => {
  const reason = "The broker's multiplier 100 of GOLDM on MCX differs from 10"
  const held = async () => {
    const { desk, fake } = await opened()
    setMultiplierAt(fake, 100)
    fake.book.hold('MCX:GOLDM30JANFUT', 'NRML', 2)
    fake.book.hold('NSE:INFY', 'MIS', 4)
    return { desk, fake, sent: () => fake.ledger.placed.map(({ fields }) => fields.tradingsymbol) }
  }

  test('is refused as the first order of a session, and is shown with the reason', async () => {
    const { desk, sent } = await held()
    expect(await desk.settled(desk.place({ ...GOLDM, action: 'SELL', quantity: 20 }))).toMatchObject({
      status: 501,
      body: { message: expect.stringContaining(reason) },
    })
    expect(sent()).toEqual([])
    const { data } = await desk.service.account.positionbook(USER)
    expect(data).toMatchObject([
      { symbol: GOLDM.symbol, quantity: 2, warning: expect.stringContaining(reason) },
      { symbol: 'INFY', quantity: 4 },
    ])
  })

  test('is refused in a dry run', async () => {
    const { desk } = await held()
    const { body } = await desk.settled(
      desk.orders.single.preview(payloadOf({ ...GOLDM, quantity: 10 }), CONTEXT),
    )
    expect(body.checks).toContainEqual({
      rule: 'instrument',
      ok: false,
      message: expect.stringContaining(reason),
    })
  })

  test('a close of all closes the others, and lists it as open with the reason', async () => {
    const { desk, sent } = await held()
    const { body } = await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
    expect(body).toMatchObject({ closed_positions: 1, failed_closures: 1 })
    expect(JSON.stringify(body)).toContain(reason)
    expect(sent()).toEqual(['INFY'])
  })

  test.each([0, 10, -10])('a smart order to %d is refused', async (position_size) => {
    const { desk, sent } = await held()
    const { underlying_ltp: _, ...line } = payloadOf({ ...GOLDM, action: 'SELL', quantity: 20 })
    const answer = await desk.settled(
      desk.orders.multi.submit(SMART_ORDER, { ...line, position_size }, CONTEXT),
    )
    expect(answer).toMatchObject({ status: 501, body: { message: expect.stringContaining(reason) } })
    expect(sent()).toEqual([])
  })
})

test('a value counts the contents of a crypto contract', async () => {
  const desk = await TestDesk.open({ embeddedMarket: true })
  const order = { symbol: 'BTCUSDFUT', exchange: 'CRYPTO', product: 'NRML', quantity: 1 } as const
  const instrument = desk.service.instruments.directory.find(order.symbol, order.exchange)
  const { body } = await desk.orders.single.preview(payloadOf(order), CONTEXT)
  const { contractValue = 1 } = instrument ?? {}
  expect(contractValue).toBeLessThan(1)
  expect(Number(body.value)).toBeCloseTo(Number(body.last_price) * contractValue, 1)
})
