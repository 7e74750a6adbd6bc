import { expect, test } from 'vitest'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'

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
    body: { message: 'Order value ₹84552.50 exceeds the limit of ₹80000.00' },
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

test('a value counts the contents of a crypto contract', async () => {
  const desk = await TestDesk.open({ embeddedMarket: true })
  const order = { symbol: 'BTCUSDFUT', exchange: 'CRYPTO', product: 'NRML', quantity: 1 } as const
  const instrument = desk.service.instruments.directory.find(order.symbol, order.exchange)
  const { body } = await desk.orders.single.preview(payloadOf(order), CONTEXT)
  const { contractValue = 1 } = instrument ?? {}
  expect(contractValue).toBeLessThan(1)
  expect(Number(body.value)).toBeCloseTo(Number(body.last_price) * contractValue, 1)
})
