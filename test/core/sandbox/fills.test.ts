import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OrderRequest } from '../../../src/core/orders/schema.js'
import { Rig } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
})
afterEach(() => rig.close())

interface FillCase {
  name: string
  order: Partial<OrderRequest>
  prices: (string | number)[]
  statuses: string[]
  range?: { low: number; high: number }
}

const CASES: FillCase[] = [
  { name: 'F1 BUY MARKET at the ask', order: {}, prices: ['250/249.9/250.2'], statuses: ['complete 250.20'] },
  {
    name: 'F2 SELL MARKET at the bid',
    order: { action: 'SELL' },
    prices: ['250/249.9/250.2'],
    statuses: ['complete 249.90'],
  },
  {
    name: 'F3 an empty side trades at the last price',
    order: {},
    prices: ['250/0/0'],
    statuses: ['complete 250.00'],
  },
  {
    name: 'F4 a limit marketable on arrival gets the better price',
    order: { priceType: 'LIMIT', price: 251 },
    prices: [249.5],
    statuses: ['complete 249.50'],
  },
  {
    name: 'F5 a BUY limit that waited fills at its limit',
    order: { priceType: 'LIMIT', price: 248 },
    prices: [250, 247.6],
    statuses: ['open', 'complete 248.00'],
  },
  {
    name: 'F6 a SELL limit that waited fills at its limit',
    order: { action: 'SELL', priceType: 'LIMIT', price: 252 },
    prices: [250, 253],
    statuses: ['open', 'complete 252.00'],
  },
  {
    name: 'F7 SL-M waits for its trigger and fills at the last price',
    order: { priceType: 'SL-M', triggerPrice: 255 },
    prices: [250, 254.9, 255.4],
    statuses: ['trigger pending', 'trigger pending', 'complete 255.40'],
  },
  {
    name: 'F8 SL fills at the last price within its limit',
    order: { action: 'SELL', priceType: 'SL', triggerPrice: 245, price: 244 },
    prices: [250, 244.5],
    statuses: ['trigger pending', 'complete 244.50'],
  },
  {
    name: 'F9 SL triggered past its limit opens and waits',
    order: { action: 'SELL', priceType: 'SL', triggerPrice: 245, price: 244 },
    prices: [250, 243.2, 244.1],
    statuses: ['trigger pending', 'open', 'complete 244.10'],
  },
  {
    name: 'SL once triggered stays a limit order, also back past its trigger',
    order: { action: 'SELL', priceType: 'SL', triggerPrice: 245, price: 244 },
    prices: [250, 243.2, 246.5],
    statuses: ['trigger pending', 'open', 'complete 246.50'],
  },
  {
    name: 'F10 a price outside its own day range fills nothing',
    order: {},
    prices: [250, 250],
    range: { low: 260, high: 270 },
    statuses: ['open', 'open'],
  },
  {
    name: 'F11 a limit order without a price waits',
    order: { priceType: 'LIMIT', price: 251 },
    prices: [0, 0],
    statuses: ['open', 'open'],
  },
  {
    name: 'F11 a stop without a price waits for its trigger',
    order: { priceType: 'SL-M', triggerPrice: 251 },
    prices: [0, 0, 251],
    statuses: ['trigger pending', 'trigger pending', 'complete 251.00'],
  },
]

describe('fill rules', () => {
  it.each(CASES)('$name', async ({ order, prices, statuses, range }) => {
    const [first, ...later] = prices
    rig.price(first ?? 0, undefined, range)
    const orderId = await rig.accepted(order)
    const seen = [await rig.status(orderId)]
    for (const price of later) {
      await rig.tick(price, undefined, range)
      seen.push(await rig.status(orderId))
    }
    expect(seen).toEqual(statuses)
  })

  it('fills a deferred MARKET order on the next sound quote, by the side', async () => {
    rig.price(250, undefined, { low: 260, high: 270 })
    const orderId = await rig.accepted({})
    await rig.tick('265/264.8/265.3', undefined, { low: 260, high: 270 })
    expect(await rig.status(orderId)).toBe('complete 265.30')
  })

  it('ignores quotes that cannot be prices', async () => {
    rig.price(250)
    const orderId = await rig.accepted({ priceType: 'LIMIT', price: 248 })
    for (const price of ['NaN', '-1', 'Infinity', '1e30']) await rig.tick(price)
    expect(await rig.status(orderId)).toBe('open')
    expect(rig.logged).toEqual([])
  })

  it('fills waiting orders oldest first while the money lasts', async () => {
    rig.price(250)
    const first = await rig.accepted({ priceType: 'LIMIT', price: 248 })
    const second = await rig.accepted({ priceType: 'LIMIT', price: 249 })
    await rig.tick(247)
    const trades = await rig.sandbox.books.tradebook('asha')
    expect(trades.map((trade) => [trade.orderid, trade.price]).sort()).toEqual([
      [first, 248],
      [second, 249],
    ])
  })

  it('writes one trade per fill and publishes it', async () => {
    rig.price('250/249.9/250.2')
    const orderId = await rig.accepted({ quantity: 4 })
    const [trade, ...others] = await rig.sandbox.books.tradebook('asha')
    expect(others).toEqual([])
    expect(trade).toMatchObject({
      tradeid: expect.stringMatching(/^TRADE-20260312-100000-[0-9a-f]{8}$/),
      orderid: orderId,
      action: 'BUY',
      quantity: 4,
      price: 250.2,
      average_price: 250.2,
      trade_value: 1000.8,
      product: 'MIS',
      strategy: 'test',
      timestamp: '2026-03-12 10:00:00',
    })
    expect(rig.events.map(({ topic }) => topic)).toEqual(['order.update', 'sandbox.order_filled'])
    expect(rig.events[0]).toMatchObject({
      data: {
        user_id: 'asha',
        orderid: orderId,
        order_status: 'complete',
        filled_quantity: 4,
        pending_quantity: 0,
        average_price: 250.2,
        pricetype: 'MARKET',
        broker: 'sandbox',
      },
    })
  })
})

describe('order updates', () => {
  const told = () =>
    rig.events.flatMap(({ topic, data }) =>
      topic === 'order.update' && 'order_status' in data
        ? [[data.order_status, data.filled_quantity, data.pending_quantity, data.average_price]]
        : [],
    )

  it('report every step of a stop order: accepted, triggered, filled', async () => {
    rig.price(250)
    await rig.accepted({ action: 'SELL', priceType: 'SL', triggerPrice: 245, price: 244 })
    await rig.tick(246)
    await rig.tick(243.2)
    await rig.tick(243.4)
    await rig.tick(244.1)
    expect(told()).toEqual([
      ['trigger pending', 0, 10, 0],
      ['open', 0, 10, 0],
      ['complete', 10, 0, 244.1],
    ])
  })

  it('report a change and a cancel', async () => {
    rig.price(250)
    const id = await rig.accepted({ priceType: 'LIMIT', price: 240 })
    await rig.sandbox.modify('asha', id, { quantity: 4, price: 241, triggerPrice: 0 })
    await rig.sandbox.cancel('asha', id)
    expect(told()).toEqual([
      ['open', 0, 10, 0],
      ['open', 0, 4, 0],
      ['cancelled', 0, 0, 0],
    ])
  })
})

describe('a silent stream', () => {
  it('is replaced by polling, every few seconds, until it ticks again', async () => {
    rig.price(250)
    const order = await rig.accepted({ priceType: 'LIMIT', price: 245 })
    rig.market.quotesAsked = 0
    await rig.clock.advance(29_000)
    expect(rig.market.quotesAsked).toBe(0)
    await rig.clock.advance(12_000)
    expect(rig.market.quotesAsked).toBe(3)
    await rig.tick(249)
    await rig.clock.advance(29_000)
    expect(rig.market.quotesAsked).toBe(3)
    rig.price(244)
    await rig.clock.advance(60_000)
    expect(await rig.status(order)).toBe('complete 245.00')
    const asked = rig.market.quotesAsked
    await rig.clock.advance(120_000)
    expect(rig.market.quotesAsked).toBe(asked)
  })

  it('is not polled while the exchange is closed', async () => {
    await rig.pass('2026-03-12T18:00:00+05:30')
    rig.price(250)
    await rig.accepted({ priceType: 'LIMIT', price: 245, product: 'CNC' })
    rig.market.quotesAsked = 0
    await rig.pass('2026-03-13T09:14:59+05:30')
    expect(rig.market.quotesAsked).toBe(0)
    await rig.pass('2026-03-13T09:16:00+05:30')
    expect(rig.market.quotesAsked).toBeGreaterThan(0)
  })
})

it('a fill beyond the range of the ledger cancels its order and affects nothing else', async () => {
  rig.price(0.05)
  const huge = await rig.accepted({ priceType: 'SL-M', triggerPrice: 0.1, quantity: 400_000_000 })
  const small = await rig.accepted({ priceType: 'SL-M', triggerPrice: 0.1, quantity: 1 })
  await rig.tick(9500)
  expect(await rig.status(huge)).toBe('cancelled')
  expect(await rig.status(small)).toBe('complete 9500.00')
  expect((await rig.position()).quantity).toBe(1)
})
