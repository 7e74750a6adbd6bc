import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OrderInstructions } from '../../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { orderOf, startRig } from '../rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

const LIMIT = { priceType: 'LIMIT', price: 1400, quantity: 10 } as const
const place = (instructions: OrderInstructions, changes: Parameters<typeof orderOf>[0] = LIMIT) =>
  rig.client.orders.place(orderOf({ ...changes, instructions }), 'T1')
const placed = () => rig.fake.ledger.placed.at(-1)?.fields
const book = async () => (await rig.client.orders.list())[0]

describe('an instruction leaves in Kite’s field', () => {
  it.each<[OrderInstructions, string, object]>([
    [{ validity: 'IOC' }, 'regular', { validity: 'IOC' }],
    [{ validity: 'TTL', validityTtl: 5 }, 'regular', { validity: 'TTL', validity_ttl: '5' }],
    [{ amo: true }, 'amo', { validity: 'DAY' }],
    [{ algoId: 'ALGO1' }, 'regular', { algo_id: 'ALGO1' }],
    [{ icebergLegs: 3 }, 'iceberg', { iceberg_legs: '3', iceberg_quantity: '4', quantity: '10' }],
  ])('%j is an order of variety %s', async (instructions, variety, fields) => {
    await place(instructions)
    expect(rig.fake.requests).toEqual([`POST /orders/${variety}`])
    expect(placed()).toMatchObject(fields)
  })

  it('market protection of the order, else of the configuration, else the exchange’s own', async () => {
    await place({ marketProtection: 2.5 }, {})
    expect(placed()).toMatchObject({ market_protection: '2.5' })
    rig.context.marketProtection = 4
    await rig.client.orders.place(orderOf(), 'T2')
    expect(placed()).toMatchObject({ market_protection: '4' })
    rig.context.marketProtection = -1
    await rig.client.orders.place(orderOf({ priceType: 'SL-M', triggerPrice: 1600 }), 'T3')
    expect(placed()).toMatchObject({ market_protection: '-1' })
  })

  it('the legs of an iceberg are whole lots', async () => {
    const option = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', product: 'NRML', quantity: 375 } as const
    await place({ icebergLegs: 3 }, option)
    expect(placed()).toMatchObject({ quantity: '375', iceberg_quantity: '150' })
    const gold = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 50 } as const
    await rig.client.portfolio.positions()
    await place({ icebergLegs: 2 }, gold)
    expect(placed()).toMatchObject({ quantity: '5', iceberg_quantity: '3' })
  })

  it.each<[string, OrderInstructions, object]>([
    ['an iceberg after market hours', { amo: true, icebergLegs: 2 }, { kind: 'unsupported' }],
    ['more legs than there are lots', { icebergLegs: 7 }, { kind: 'validation' }],
    ['TTL without its minutes', { validity: 'TTL' }, { kind: 'validation' }],
  ])('%s is never sent', async (_name, instructions, refused) => {
    await expect(place(instructions)).rejects.toMatchObject({ sent: 'never', ...refused })
    expect(rig.fake.requests).toEqual([])
  })
})

describe('what the order then does', () => {
  it('IOC: what is not filled at once is cancelled', async () => {
    rig.fake.book.progress.available = 4
    await place({ validity: 'IOC' }, { quantity: 10, priceType: 'LIMIT', price: 1500 })
    expect(await book()).toMatchObject({ status: 'cancelled', filledQuantity: 4, pendingQuantity: 0 })
  })

  it('TTL: it ends at its minute, and a change keeps its life', async () => {
    await rig.close()
    const clock = new VirtualClock(Date.UTC(2026, 0, 5, 5, 0))
    rig = await startRig(undefined, clock)
    const { orderId } = await place({ validity: 'TTL', validityTtl: 5 })
    await rig.client.orders.modify(orderId, orderOf({ ...LIMIT, price: 1390 }))
    expect(rig.fake.ledger.entries.at(-1)?.fields).toMatchObject({ validity: 'TTL', validity_ttl: '5' })
    expect((await book())?.status).toBe('open')
    await clock.advance(5 * 60_000)
    expect((await book())?.status).toBe('cancelled')
  })

  it('AMO: it waits for the open, keeps its variety on a change, and is refused while the market is open', async () => {
    rig.fake.book.progress.session = 'closed'
    await expect(place({})).rejects.toMatchObject({ message: expect.stringContaining('after market order') })
    const { orderId } = await place({ amo: true })
    expect(await book()).toMatchObject({ status: 'open', filledQuantity: 0 })
    await rig.client.orders.modify(orderId, orderOf({ ...LIMIT, price: 1500 }))
    expect(rig.fake.requests.at(-1)).toBe(`PUT /orders/amo/${orderId}`)
    rig.fake.book.open()
    expect((await book())?.status).toBe('complete')
    await expect(place({ amo: true })).rejects.toMatchObject({ sent: 'yes' })
  })
})

describe('an iceberg', () => {
  const iceberg = { icebergLegs: 3 }

  it('is one order while its legs follow each other, and complete after the last', async () => {
    const { orderId } = await place(iceberg)
    expect(await rig.client.orders.list()).toMatchObject([
      { orderId, tag: 'T1', quantity: 10, filledQuantity: 0, pendingQuantity: 10, status: 'open' },
    ])
    rig.fake.book.progress.available = 4
    rig.fake.setPrice('NSE:INFY', 1400)
    const [row] = await rig.client.orders.list()
    expect(row).toMatchObject({ orderId, quantity: 10, filledQuantity: 10, status: 'complete' })
    expect(row?.averagePrice).toBe(1400)
    const trades = await rig.client.orders.trades()
    expect(trades.map((trade) => [trade.orderId, trade.quantity])).toEqual([
      [orderId, 4],
      [orderId, 4],
      [orderId, 2],
    ])
  })

  it('is changed and cancelled by the leg that works, which names the first as its parent', async () => {
    const { orderId } = await place(iceberg)
    rig.fake.book.fillOnce(orderId)
    expect(await book()).toMatchObject({ orderId, filledQuantity: 4, pendingQuantity: 6, status: 'open' })
    await rig.client.orders.prepareChange?.(orderId, 'modify')
    const changed = orderOf({ ...LIMIT, price: 1390 })
    expect(await rig.client.orders.modify(orderId, changed)).toEqual({ orderId })
    expect(rig.fake.requests.at(-1)).toBe(`PUT /orders/iceberg/${orderId}2`)
    const more = rig.client.orders.modify(orderId, { ...changed, quantity: 12 })
    await expect(more).rejects.toMatchObject({
      kind: 'unsupported',
      sent: 'never',
      message: expect.stringContaining('one leg or the whole order'),
    })
    const address = { orderId: `${orderId}2`, variety: 'iceberg', parent: orderId }
    expect(() => rig.fake.book.modify(address, { quantity: '12' })).toThrow('quantity of an iceberg')
    expect(await rig.client.orders.cancel(orderId)).toEqual({ orderId })
    expect(await book()).toMatchObject({
      orderId,
      status: 'cancelled',
      filledQuantity: 4,
      pendingQuantity: 0,
    })
  })
})

describe('market protection', () => {
  it('a MARKET order that rests is open and MARKET with its remainder, never filled', async () => {
    rig.fake.book.progress.awayPercent = 3
    await rig.client.orders.place(orderOf({ quantity: 10 }), 'T1')
    expect(rig.fake.book.orders[0]).toMatchObject({ order_type: 'LIMIT', price: 1530, status: 'OPEN' })
    const rests = { status: 'open', priceType: 'MARKET', tag: 'T1', filledQuantity: 0, pendingQuantity: 10 }
    expect(await book()).toMatchObject(rests)
    rig.fake.book.progress.awayPercent = 0
    rig.fake.book.progress.available = 4
    rig.fake.setPrice('NSE:INFY', 1501)
    expect(await book()).toMatchObject({ ...rests, filledQuantity: 4, pendingQuantity: 6 })
  })

  it('a wider protection takes what is further away', async () => {
    rig.fake.book.progress.awayPercent = 3
    await place({ marketProtection: 5 }, { quantity: 10 })
    expect(await book()).toMatchObject({ status: 'complete', averagePrice: 1545 })
  })

  it('a change of a MARKET order keeps its protection', async () => {
    rig.fake.book.progress.awayPercent = 6
    const { orderId } = await place({ marketProtection: 5 }, { quantity: 10 })
    await rig.client.orders.modify(orderId, orderOf({ quantity: 8 }))
    expect(rig.fake.ledger.entries.at(-1)?.fields).toMatchObject({ market_protection: '5', quantity: '8' })
  })
})

describe('the changes of one order', () => {
  it('the 26th is refused before it is sent; a refused one did not count', async () => {
    const { orderId } = await rig.client.orders.place(orderOf(LIMIT), 'T1')
    const change = (price: number) => rig.client.orders.modify(orderId, orderOf({ ...LIMIT, price }))
    await expect(change(100)).rejects.toMatchObject({ sent: 'yes' })
    for (let n = 1; n <= 25; n++) await change(1400 - n)
    const sent = rig.fake.requests.length
    await expect(change(1370)).rejects.toMatchObject({
      kind: 'validation',
      sent: 'never',
      message: expect.stringContaining('at most 25 changes'),
    })
    expect(rig.fake.requests).toHaveLength(sent)
  })

  it('the fake refuses the 26th, too', async () => {
    const orderId = rig.fake.book.place('regular', { ...FORM }, undefined)
    for (let n = 1; n <= 25; n++) rig.fake.book.modify({ orderId }, { price: '1399' })
    expect(() => rig.fake.book.modify({ orderId }, { price: '1398' })).toThrow('Maximum allowed')
  })
})

describe('an answer that is not of one order', () => {
  it('slices are in doubt: some may be placed, some refused', async () => {
    rig.fake.script.set({ route: 'place', actions: ['sliced'] })
    await expect(rig.client.orders.place(orderOf(), 'T1')).rejects.toMatchObject({
      kind: 'protocol',
      sent: 'maybe',
    })
  })
})

describe('an address that the app does not name', () => {
  it('orders are refused with Kite’s words, and reads go on', async () => {
    const { orderId } = await rig.client.orders.place(orderOf(LIMIT), 'T1')
    rig.fake.refuseAddress('203.0.113.7')
    const refused = { kind: 'ip_not_allowed', sent: 'yes', message: expect.stringContaining('203.0.113.7') }
    await expect(rig.client.orders.place(orderOf(), 'T2')).rejects.toMatchObject(refused)
    await expect(rig.client.orders.modify(orderId, orderOf(LIMIT))).rejects.toMatchObject(refused)
    await expect(rig.client.orders.cancel(orderId)).rejects.toMatchObject(refused)
    expect(await rig.client.orders.list()).toHaveLength(1)
  })
})

const FORM = {
  tradingsymbol: 'INFY',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'LIMIT',
  quantity: '2',
  product: 'CNC',
  price: '1400',
}
