import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dhan } from '../../../../../src/core/brokers/dhan/index.js'
import { byTag } from '../../by-tag.js'
import { orderOf, SESSION, startRig } from '../rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

const INFY = 'NSE_EQ:1594'
const book = () => rig.client.orders.list()
const fields = (event: string) => rig.fake.ledger.entries.findLast((entry) => entry.event === event)?.fields

describe('an order', () => {
  test('carries everything that Dhan wants of it', async () => {
    const bodies: unknown[] = []
    const { exchange } = rig.fake
    const { place } = exchange
    exchange.place = (asked, reason) => {
      bodies.push(asked)
      return place.call(exchange, asked, reason)
    }
    await rig.client.orders.place(orderOf({ priceType: 'SL', price: 1510, triggerPrice: 1505 }), 'A1')
    expect(bodies).toEqual([
      {
        key: INFY,
        side: 'BUY',
        product: 'INTRADAY',
        kind: 'SL',
        quantity: 1,
        price: 1510,
        trigger: 1505,
        tag: 'A1',
      },
    ])
  })

  test('of which the market sees a part says so in the book, and one that it sees all of does not', async () => {
    const limit = { priceType: 'LIMIT', price: 1400, quantity: 10 } as const
    const hidden = await rig.client.orders.place(orderOf({ ...limit, disclosedQuantity: 4 }), 'A1')
    const whole = await rig.client.orders.place(orderOf(limit), 'A2')
    const rows = new Map((await book()).map((row) => [row.orderId, row]))
    expect(rows.get(hidden.orderId)).toMatchObject({ disclosedQuantity: 4 })
    expect(rows.get(whole.orderId)).not.toHaveProperty('disclosedQuantity')
  })

  test.each([
    ['CNC', 'CNC'],
    ['NRML', 'MARGIN'],
    ['MIS', 'INTRADAY'],
    ['MTF', 'MTF'],
  ] as const)('of product %s is %s there, and comes back', async (product, word) => {
    await rig.client.orders.place(orderOf({ product }), 'A1')
    expect(fields('placed')?.product).toBe(word)
    expect((await byTag(rig.client, 'A1'))?.product).toBe(product)
  })

  test('SL-M is a stop with the protection as its limit, and shown as it was asked for', async () => {
    const { orderId } = await rig.client.orders.place(
      orderOf({ priceType: 'SL-M', triggerPrice: 1510 }),
      'A1',
    )
    // 0.5 % beyond the trigger, rounded up to a tick.
    expect(fields('placed')).toMatchObject({ kind: 'SL', price: '1517.55', trigger: '1510' })
    expect(await rig.client.orders.order?.(orderId)).toMatchObject({
      priceType: 'SL-M',
      status: 'trigger pending',
      triggerPrice: 1510,
    })
    // After a restart only Dhan's own type is known.
    const next = dhan.connect(SESSION, rig.context)
    expect((await next.orders.list())[0]?.priceType).toBe('SL')
    await next.close()
  })

  test.each([
    ['IOC', { validity: 'IOC' }, { status: 'cancelled' }],
    ['after market hours', { amo: true }, { status: 'open' }],
  ] as const)('%s is sent as asked', async (_name, instructions, expected) => {
    const order = orderOf({ priceType: 'LIMIT', price: 1400, instructions })
    const { orderId } = await rig.client.orders.place(order, 'A1')
    expect(await rig.client.orders.order?.(orderId)).toMatchObject(expected)
    const extras = rig.fake.world.extras.get(orderId)
    expect(extras).toMatchObject('amo' in instructions ? { isAmo: true } : { validity: 'IOC' })
  })

  test.each([
    ['USDINR29JAN30FUT', 'CDS', 1000],
    ['GOLDM31JAN30FUT', 'MCX', 10],
  ] as const)(
    'of %s is refused, since what Dhan counts there is not settled',
    async (symbol, exchange, quantity) => {
      const order = orderOf({ symbol, exchange, quantity, product: 'NRML' })
      const refused = {
        kind: 'unsupported',
        sent: 'never',
        message: expect.stringContaining('lots or units'),
      }
      await expect(rig.client.orders.preparePlace?.(order)).rejects.toMatchObject(refused)
      await expect(rig.client.orders.place(order, 'A1')).rejects.toMatchObject(refused)
      await expect(rig.client.margins?.estimate([order])).rejects.toMatchObject(refused)
      expect(rig.fake.ledger.entries).toEqual([])
    },
  )

  test.each(['', 'A'.repeat(31), 'a#1', 'ä'])('with the tag "%s" is not sent', async (tag) => {
    await expect(rig.client.orders.place(orderOf(), tag)).rejects.toMatchObject({ sent: 'never' })
    expect(rig.fake.requests.filter((line) => line.startsWith('POST'))).toEqual([])
  })

  test('in a product with two legs is not sent', async () => {
    await expect(rig.client.orders.place(orderOf({ product: 'BO' }), 'A1')).rejects.toMatchObject({
      kind: 'unsupported',
      sent: 'never',
    })
  })

  test('that the exchange rejects afterwards says why', async () => {
    rig.fake.script.set({ route: 'place', actions: ['late_reject:RMS: margin exceeds'] })
    const { orderId } = await rig.client.orders.place(orderOf(), 'A1')
    expect(await rig.client.orders.order?.(orderId)).toMatchObject({
      status: 'rejected',
      rejectionReason: 'RMS: margin exceeds',
      pendingQuantity: 0,
    })
  })
})

describe('a change', () => {
  const resting = () => orderOf({ priceType: 'LIMIT', price: 1400, quantity: 10 })

  test('sends the quantity of the whole order, also when a part is filled', async () => {
    const { orderId } = await rig.client.orders.place(resting(), 'A1')
    rig.fake.exchange.fillPart(orderId, 4)
    expect((await book())[0]).toMatchObject({ status: 'open', filledQuantity: 4, pendingQuantity: 6 })
    await rig.client.orders.modify(orderId, { ...resting(), quantity: 12, price: 1410 })
    expect(fields('modified')).toMatchObject({ quantity: '12', price: '1410' })
    expect((await book())[0]).toMatchObject({ quantity: 12, filledQuantity: 4, pendingQuantity: 8 })
  })

  test('keeps the validity of an order of an earlier connection', async () => {
    const { orderId } = await rig.client.orders.place(resting(), 'A1')
    const extras = rig.fake.world.extras.get(orderId)
    if (extras) extras.validity = 'IOC'
    const next = dhan.connect(SESSION, rig.context)
    await next.orders.prepareChange?.(orderId, 'modify')
    await next.orders.modify(orderId, { ...resting(), price: 1390 })
    expect(rig.fake.world.extras.get(orderId)?.validity).toBe('IOC')
    await next.close()
  })

  test('that cancels an order of an earlier connection needs no reading', async () => {
    const { orderId } = await rig.client.orders.place(resting(), 'A1')
    const next = dhan.connect(SESSION, rig.context)
    rig.fake.script.set({ route: 'order', actions: ['5xx_before'] })
    await next.orders.prepareChange?.(orderId, 'cancel')
    await next.orders.cancel(orderId)
    expect(await book()).toMatchObject([{ orderId, status: 'cancelled' }])
    await next.close()
  })

  test('after the twenty-fifth is not sent', async () => {
    const { orderId } = await rig.client.orders.place(resting(), 'A1')
    const change = (ticks: number) => rig.client.orders.modify(orderId, { ...resting(), price: 1400 - ticks })
    for (let count = 1; count <= 25; count++) await change(count)
    await expect(change(26)).rejects.toMatchObject({ kind: 'validation', sent: 'never' })
    expect(rig.fake.ledger.entries.filter(({ event }) => event === 'modified')).toHaveLength(25)
  })
})

describe('a look-up by tag', () => {
  test('finds an order that the book does not show yet', async () => {
    const { orderId } = await rig.client.orders.place(orderOf(), 'A1')
    const { exchange } = rig.fake
    const orders = exchange.orders
    let reads = 0
    Object.defineProperty(exchange, 'orders', { get: () => (reads++ === 0 ? [] : orders) })
    expect(await byTag(rig.client, 'A1')).toMatchObject({ orderId, tag: 'A1' })
  })

  test('of several orders takes the accepted one, and logs it', async () => {
    rig.fake.script.set({ route: 'place', actions: ['late_reject:no'] })
    await rig.client.orders.place(orderOf(), 'A1')
    const { orderId } = await rig.client.orders.place(orderOf(), 'A1')
    expect(await byTag(rig.client, 'A1')).toMatchObject({ orderId })
    expect(JSON.stringify(rig.context.lines)).toContain('broker.tag_not_unique')
  })
})

test('an update by push has the words of the book, and the type that was asked for', async () => {
  const updates: unknown[] = []
  await rig.client.orderEvents?.open((order) => updates.push(order))
  const { orderId } = await rig.client.orders.place(
    orderOf({ priceType: 'SL-M', triggerPrice: 1510, product: 'NRML', quantity: 3 }),
    'A1',
  )
  for (let turn = 0; turn < 200 && updates.length === 0; turn++)
    await new Promise((resolve) => setTimeout(resolve, 1))
  expect(updates[0]).toMatchObject({
    orderId,
    tag: 'A1',
    symbol: 'INFY',
    exchange: 'NSE',
    product: 'NRML',
    priceType: 'SL-M',
    status: 'trigger pending',
    quantity: 3,
    filledQuantity: 0,
    pendingQuantity: 3,
  })
})
