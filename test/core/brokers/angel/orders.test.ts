import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { angel } from '../../../../src/core/brokers/angel/index.js'
import { toOrder, toTrade } from '../../../../src/core/brokers/angel/orders/rows.js'
import { orderRow, tradeRow } from '../../../../src/core/brokers/angel/wire.js'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { orderOf, SESSION, startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig(new VirtualClock('2026-11-27T10:00:00+05:30'))
})
afterEach(() => rig.close())

const LIMIT = orderOf({ priceType: 'LIMIT', price: 1400 })
const STOP = orderOf({ priceType: 'SL', price: 1601, triggerPrice: 1600 })
const place = (order: OrderRequest, tag = 'TAG1') => rig.client.orders.place(order, tag)
const writes = () => rig.fake.requests.filter((line) => /\/(place|modify|cancel)Order$/.test(line))

describe('the variety of an order', () => {
  const changes: readonly (readonly [string, OrderRequest, OrderRequest])[] = [
    ['LIMIT to MARKET', LIMIT, orderOf()],
    ['SL to SL-M', STOP, orderOf({ priceType: 'SL-M', triggerPrice: 1610 })],
    ['SL-M to SL', orderOf({ priceType: 'SL-M', triggerPrice: 1600 }), STOP],
  ]
  it.each(changes)('stays the same from %s', async (_name, from, to) => {
    const { orderId } = await place(from)
    await rig.client.orders.modify(orderId, to)
    const [row] = await rig.client.orders.list()
    expect(row).toMatchObject({ orderId, priceType: to.priceType, triggerPrice: to.triggerPrice })
  })

  it.each([
    ['a limit order cannot become a stop order', LIMIT, STOP],
    ['a stop order cannot become a limit order', STOP, LIMIT],
  ])('%s: that is refused before anything is sent', async (_name, from, to) => {
    const { orderId } = await place(from)
    const sent = writes().length
    await expect(rig.client.orders.modify(orderId, to)).rejects.toMatchObject({
      kind: 'unsupported',
      sent: 'never',
      message: expect.stringContaining('place a new one'),
    })
    expect(writes()).toHaveLength(sent)
  })

  it('is read from the book by a client that did not place the order, before its last check', async () => {
    const { orderId } = await place(STOP)
    const next = angel.connect(SESSION, rig.context)
    await next.orders.prepareChange?.(orderId, 'modify')
    const read = rig.fake.requests.length
    await next.orders.modify(orderId, { ...STOP, price: 1602 })
    await next.orders.cancel(orderId)
    expect(rig.fake.requests.slice(read)).toEqual([
      'POST /rest/secure/angelbroking/order/v1/modifyOrder',
      'POST /rest/secure/angelbroking/order/v1/cancelOrder',
    ])
    expect(await next.orders.order?.(orderId)).toMatchObject({ status: 'cancelled', price: 1602 })
    await next.close()
  })
})

describe('an order that is partly filled', () => {
  const filledInPart = async () => {
    const { orderId } = await place({ ...LIMIT, quantity: 10 })
    rig.fake.exchange.fillPart(orderId, 4)
    return orderId
  }
  const change = (orderId: string, client = rig.client) =>
    client.orders.modify(orderId, { ...LIMIT, quantity: 10, price: 1390 })

  it.each([
    ['the book shows it', async (_id: string) => void (await rig.client.orders.list())],
    ['its details show it', async (id: string) => void (await rig.client.orders.order?.(id))],
    ['its change is prepared', async (id: string) => rig.client.orders.prepareChange?.(id, 'modify')],
  ])('is not changed once %s: its quantity would be a guess', async (_name, see) => {
    const orderId = await filledInPart()
    await see(orderId)
    await expect(change(orderId)).rejects.toMatchObject({
      kind: 'unsupported',
      sent: 'never',
      message: expect.stringContaining('partly filled'),
    })
    expect(await rig.client.orders.list()).toMatchObject([{ quantity: 10, filledQuantity: 4, price: 1400 }])
    expect(await rig.client.orders.cancel(orderId)).toEqual({ orderId })
  })

  it('is not changed by a client that did not place it either', async () => {
    const orderId = await filledInPart()
    const next = angel.connect(SESSION, rig.context)
    await next.orders.prepareChange?.(orderId, 'modify')
    await expect(change(orderId, next)).rejects.toMatchObject({ kind: 'unsupported', sent: 'never' })
    await next.close()
  })
})

describe('an order that nobody here has seen', () => {
  it('whose book cannot be read is not changed, and that is certain', async () => {
    const next = angel.connect(SESSION, rig.context)
    for (const send of [() => next.orders.cancel('1'), () => next.orders.modify('1', LIMIT)]) {
      rig.fake.script.set({ route: 'orders', actions: ['5xx_before'] })
      await expect(send()).rejects.toMatchObject({ kind: 'unavailable', sent: 'never' })
    }
    expect(writes()).toEqual([])
    await next.close()
  })

  it.each(['cancel', 'modify'] as const)(
    'and that the book does not have either gets no guessed variety: the %s is refused',
    async (change) => {
      const refusal = { kind: 'not_found', sent: 'never', message: expect.stringContaining('999') }
      const { orders } = rig.client
      await expect(async () => orders.prepareChange?.('999', change)).rejects.toMatchObject(refusal)
      const sent = change === 'cancel' ? orders.cancel('999') : orders.modify('999', LIMIT)
      await expect(sent).rejects.toMatchObject(refusal)
      expect(writes()).toEqual([])
    },
  )

  it('is looked for again: the book may have it a moment later', async () => {
    const { orderId } = await place(LIMIT)
    const next = angel.connect(SESSION, rig.context)
    rig.fake.script.set({ route: 'orders', actions: ['5xx_before'] })
    await expect(async () => next.orders.prepareChange?.(orderId, 'cancel')).rejects.toMatchObject({
      sent: 'never',
    })
    expect(await next.orders.cancel(orderId)).toEqual({ orderId })
    await next.close()
  })
})

describe('instructions', () => {
  it('IOC is the duration of an order, and a change keeps it', async () => {
    const { orderId } = await place({ ...LIMIT, instructions: { validity: 'IOC' } })
    await rig.client.orders.modify(orderId, { ...LIMIT, price: 1390 })
    expect(rig.fake.extrasOf(orderId)).toMatchObject({ duration: 'IOC' })
  })

  it('an order after the market has a variety of its own, which a change and a cancel keep', async () => {
    const { orderId } = await place({ ...LIMIT, instructions: { amo: true } })
    await rig.client.orders.modify(orderId, { ...LIMIT, price: 1390 })
    expect(rig.fake.extrasOf(orderId)).toMatchObject({ variety: 'AMO' })
    expect(await rig.client.orders.cancel(orderId)).toEqual({ orderId })
  })

  it('a stop order after the market is refused before anything is sent', async () => {
    await expect(place({ ...STOP, instructions: { amo: true } })).rejects.toMatchObject({
      kind: 'unsupported',
      sent: 'never',
    })
  })

  it('a disclosed quantity is sent, and shown in the book', async () => {
    const { orderId } = await place({ ...LIMIT, quantity: 10, disclosedQuantity: 2 })
    expect(rig.fake.extrasOf(orderId)).toMatchObject({ disclosed: '2' })
    expect(await rig.client.orders.list()).toMatchObject([{ orderId, disclosedQuantity: 2 }])
  })
})

describe('a tag', () => {
  it('of 19 characters is kept whole', async () => {
    const tag = 'A1'.repeat(9).concat('B')
    const { orderId } = await place(orderOf(), tag)
    expect((await rig.client.orders.findByTags([tag])).get(tag)).toMatchObject({ orderId, tag })
  })

  it('of 20 characters is refused before anything is sent, because Angel would refuse it', async () => {
    await expect(place(orderOf(), 'A1'.repeat(10))).rejects.toMatchObject({ sent: 'never' })
    expect(writes()).toEqual([])
  })

  it('is named by each change, also of a client that did not place the order, so that the order keeps it', async () => {
    const { orderId } = await place(LIMIT)
    await rig.client.orders.modify(orderId, { ...LIMIT, price: 1390 })
    const next = angel.connect(SESSION, rig.context)
    await next.orders.modify(orderId, { ...LIMIT, price: 1380 })
    expect(await next.orders.list()).toMatchObject([{ orderId, tag: 'TAG1', price: 1380 }])
    await next.close()
  })

  it('that two orders have is logged, and an accepted order counts', async () => {
    rig.fake.script.set({ route: 'place', actions: ['late_reject:no funds'] })
    await place(orderOf())
    const second = await place(orderOf())
    expect((await rig.client.orders.findByTags(['TAG1'])).get('TAG1')?.orderId).toBe(second.orderId)
    expect(rig.context.lines.map(({ event }) => event)).toContain('broker.tag_not_unique')
  })
})

describe('an exchange whose quantities are not documented', () => {
  const GOLDM = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 10 } as const
  const USDINR = { symbol: 'USDINR29JAN30FUT', exchange: 'CDS', product: 'NRML', quantity: 1000 } as const

  it.each([GOLDM, USDINR])(
    'takes no order, change or margin of $symbol, and sends nothing',
    async (contract) => {
      const order = orderOf(contract)
      const refused = {
        kind: 'unsupported',
        sent: 'never',
        message: expect.stringContaining('lots or units'),
      }
      await expect(place(order)).rejects.toMatchObject(refused)
      await expect(rig.client.orders.modify('1', order)).rejects.toMatchObject(refused)
      await expect(rig.client.margins?.estimate([order])).rejects.toMatchObject(refused)
      expect(writes()).toEqual([])
    },
  )

  it('shows its positions as the broker counts them, with the reason', async () => {
    rig.fake.exchange.hold('MCX:GOLDM31JAN30FUT', 'CARRYFORWARD', 2)
    const [row] = await rig.client.portfolio.positions()
    expect(row).toMatchObject({ symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', quantity: 2 })
    expect(row?.unsettled).toContain('cannot be traded')
  })
})

describe('one order', () => {
  it('is read by its own address once it is known, and from the book before', async () => {
    const { orderId } = await place(LIMIT)
    expect(await rig.client.orders.order?.(orderId)).toMatchObject({ orderId, status: 'open', tag: 'TAG1' })
    expect(rig.fake.requests.at(-1)).toMatch(/\/details\//)
    const next = angel.connect(SESSION, rig.context)
    expect(await next.orders.order?.(orderId)).toMatchObject({ orderId })
    expect(await next.orders.order?.('999')).toBeUndefined()
    await next.close()
  })

  it('that ended with a part unfilled waits for nothing', async () => {
    const { orderId } = await place(LIMIT)
    await rig.client.orders.cancel(orderId)
    expect(await rig.client.orders.list()).toMatchObject([{ status: 'cancelled', pendingQuantity: 0 }])
  })

  it('whose status has a new word may still trade, and the word is logged', async () => {
    const row = orderRow.parse({
      orderid: 250,
      exchange: 'NSE',
      tradingsymbol: 'SBIN-EQ',
      symboltoken: '3045',
      transactiontype: 'SELL',
      ordertype: 'LIMIT',
      producttype: 'BO',
      orderstatus: 'Parked',
      quantity: '5',
      filledshares: '0',
      updatetime: '27-Nov-2026 10:00:01',
    })
    expect(toOrder(rig.context, row)).toMatchObject({
      orderId: '250',
      symbol: 'SBIN',
      product: 'BO',
      status: 'open',
      quantity: 5,
      filledQuantity: 0,
      pendingQuantity: 5,
      timestamp: Date.parse('2026-11-27T10:00:01+05:30'),
    })
    expect(rig.context.lines.map(({ event }) => event)).toContain('broker.unknown_value')
  })
})

it('a trade of today has its time of day', async () => {
  await place(orderOf())
  const [trade] = await rig.client.orders.trades()
  expect(trade?.timestamp).toBe(Date.parse('2026-11-27T10:00:00+05:30'))
})

it.each([
  ['09:59:00', '2026-11-27T09:59:00+05:30'],
  ['10:00:45', '2026-11-27T10:00:45+05:30'],
  ['15:00:00', '2026-11-26T15:00:00+05:30'],
])('a trade of %s is never in the future: at ten it is of %s', (filltime, at) => {
  const row = tradeRow.parse({
    ...{ orderid: '1', fillid: '2', exchange: 'NSE', tradingsymbol: 'INFY-EQ', symboltoken: '1594' },
    ...{ transactiontype: 'BUY', producttype: 'INTRADAY', fillprice: '1500', fillsize: '1', filltime },
  })
  expect(toTrade(rig.context, row).timestamp).toBe(Date.parse(at))
})
