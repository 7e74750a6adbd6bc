import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { zerodha } from '../../../../../src/core/brokers/zerodha/index.js'
import { kiteCount, unitsOf } from '../../../../../src/core/brokers/zerodha/master/lots.js'
import type { Tick } from '../../../../../src/core/market/schema.js'
import type { OrderRequest } from '../../../../../src/core/orders/schema.js'
import { byTag } from '../../by-tag.js'
import { orderOf, SESSION, setMultiplierAt, startRig, until } from '../rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

/** Places an order as the service does, which prepares it before the last check. */
async function place(order: OrderRequest, tag: string): Promise<{ orderId: string }> {
  await rig.client.orders.preparePlace?.(order)
  return rig.client.orders.place(order, tag)
}

/** A contract of each kind of exchange; `lot` is in units of the price, as orders of the service are. */
const CONTRACTS = [
  { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', kite: 'MCX:GOLDM30JANFUT', lot: 10, counted: 'lots' },
  { symbol: 'USDINR29JAN30FUT', exchange: 'CDS', kite: 'CDS:USDINR30JANFUT', lot: 1000, counted: 'lots' },
  { symbol: 'NIFTY29JAN30FUT', exchange: 'NFO', kite: 'NFO:NIFTY30JANFUT', lot: 75, counted: 'units' },
] as const

describe.each(CONTRACTS)('$symbol, which Kite counts in $counted', (contract) => {
  const { symbol, exchange, kite, lot, counted } = contract
  const perCount = counted === 'lots' ? lot : 1
  const price = () => rig.fake.prices.get(kite)?.ltp ?? 0
  const order = (changes: Parameters<typeof orderOf>[0] = {}) =>
    orderOf({ symbol, exchange, product: 'NRML', quantity: 3 * lot, ...changes })

  it('an order, its disclosed quantity and its change leave in Kite’s count and return in units', async () => {
    const resting = price() - 100 * (rig.fake.prices.get(kite)?.listing.tickSize ?? 0)
    const limit = { priceType: 'LIMIT', price: resting, disclosedQuantity: lot } as const
    const { orderId } = await place(order(limit), 'T1')
    expect(rig.fake.ledger.placed[0]?.fields).toMatchObject({
      quantity: String((3 * lot) / perCount),
      disclosed_quantity: String(lot / perCount),
    })
    await rig.client.orders.modify(orderId, order({ ...limit, quantity: 2 * lot }))
    expect(rig.fake.book.orders[0]).toMatchObject({ quantity: (2 * lot) / perCount })
    const found = { quantity: 2 * lot, filledQuantity: 0, pendingQuantity: 2 * lot }
    expect(await rig.client.orders.list()).toMatchObject([found])
    expect(await byTag(rig.client, 'T1')).toMatchObject(found)
  })

  it('a fill, its update, its trade and its position are in units, and its profit in rupees', async () => {
    const updates: BrokerOrder[] = []
    await rig.client.orderEvents?.open((update) => updates.push(update))
    await place(order(), 'T1')
    await until(() => updates.at(-1)?.status === 'complete')
    expect(updates.at(-1)).toMatchObject({ quantity: 3 * lot, filledQuantity: 3 * lot })
    expect(await rig.client.orders.trades()).toMatchObject([{ quantity: 3 * lot, price: price() }])
    const bought = price()
    rig.fake.setPrice(kite, bought + 2)
    expect(await rig.client.portfolio.positions()).toMatchObject([
      { symbol, exchange, quantity: 3 * lot, averagePrice: bought, ltp: bought + 2 },
    ])
    const pnl = (await rig.client.portfolio.positions())[0]?.pnl
    expect(pnl).toBeCloseTo(2 * 3 * lot, 6)
  })

  it('ticks, quotes, depth and bars have their quantities in units', async () => {
    const ref = { symbol, exchange }
    const [quote] = await rig.client.market.quotes([ref])
    expect(quote).toMatchObject({ volume: 100_000 * perCount, bidSize: 100 * perCount })
    expect(await rig.client.market.depth(ref)).toMatchObject({
      lastQuantity: perCount,
      totalBuyQuantity: 1500 * perCount,
      totalSellQuantity: 1500 * perCount,
      depth: { buy: { 4: { quantity: 500 * perCount } }, sell: { 0: { quantity: 100 * perCount } } },
    })
    const bars = await rig.client.market.history({
      ...ref,
      interval: 'D',
      from: '2026-11-23',
      to: '2026-11-23',
    })
    expect(bars).toMatchObject([{ volume: 100 * perCount }])
    const ticks: Tick[] = []
    await rig.client.ticks?.open((tick) => ticks.push(tick))
    rig.client.ticks?.subscribe([ref], 3)
    const tick = await until(() => ticks[0])
    expect(tick).toMatchObject({
      bidSize: 100 * perCount,
      depth: { buy: { 4: { quantity: 500 * perCount } } },
      volume: 100_000 * perCount,
    })
  })
})

describe('what is never sent', () => {
  const refused = async (changes: Parameters<typeof orderOf>[0], expected: object) => {
    const order = orderOf({ product: 'NRML', ...changes })
    await expect(place(order, 'T1')).rejects.toMatchObject({ sent: 'never', ...expected })
    expect(rig.fake.ledger.placed).toEqual([])
  }

  it.each([1, 999, 1001])('%d USDINR, which is no whole number of lots', (quantity) =>
    refused(
      { symbol: 'USDINR29JAN30FUT', exchange: 'CDS', quantity },
      { kind: 'validation', message: 'Quantity must be in multiples of lot size 1000' },
    ),
  )

  it('a disclosed quantity that is no whole number of lots', () =>
    refused(
      { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', quantity: 20, disclosedQuantity: 5 },
      { kind: 'validation', message: 'Disclosed quantity must be in multiples of lot size 10' },
    ))

  it('a contract whose size is not in the table, in any quantity', () =>
    refused(
      { symbol: 'NEWMETAL31JAN30FUT', exchange: 'MCX', quantity: 1 },
      {
        kind: 'unsupported',
        message: expect.stringContaining('contract size of NEWMETAL on MCX is not settled'),
      },
    ))

  it('an order on an instrument list of an earlier version, which has lots of 1', () => {
    const usd = rig.context.instruments.find('USDINR29JAN30FUT', 'CDS')
    if (!usd) throw new Error('not listed')
    expect(() => kiteCount({ ...usd, lotSize: 1 }, 1000)).toThrow(/svc broker sync/)
  })
})

it('a row whose contract has left the master is converted by the root of its symbol', () => {
  expect(unitsOf({ exchange: 'MCX', name: 'GOLDM' }, 3)).toBe(30)
  expect(unitsOf({ exchange: 'MCX', name: 'NEWMETAL' }, 3)).toBe(3)
  expect(unitsOf({ exchange: 'NSE', name: 'GOLDM' }, 3)).toBe(3)
})

describe('a contract that Kite values with another size', () => {
  const goldm = (changes: Parameters<typeof orderOf>[0] = {}) =>
    orderOf({ symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 10, ...changes })
  const differs = {
    kind: 'unsupported',
    sent: 'never',
    message: expect.stringContaining("The broker's multiplier 100 of GOLDM on MCX differs from 10"),
  }
  const limit = { priceType: 'LIMIT', price: 70_000 } as const
  const setMultiplier = (multiplier: number) => setMultiplierAt(rig.fake, multiplier)
  const reported = () => rig.context.lines.filter(({ event }) => event === 'broker.multiplier_differs')

  it('is reported once, and its positions have the count of Kite with the reason', async () => {
    await place(goldm({ quantity: 30 }), 'T1')
    setMultiplier(100)
    const unsettled = differs.message
    for (let reading = 0; reading < 2; reading++) {
      expect(await rig.client.portfolio.positions()).toMatchObject([{ quantity: 3, unsettled }])
    }
    expect(reported()).toHaveLength(1)
  })

  it('is not traded any more, but its open orders can be cancelled', async () => {
    const { orderId } = await place(goldm(limit), 'T1')
    await place(goldm(), 'T2')
    setMultiplier(100)
    await rig.client.portfolio.positions()
    const { length } = rig.fake.ledger.placed
    for (const action of ['BUY', 'SELL'] as const) {
      await expect(place(goldm({ action }), 'T3')).rejects.toMatchObject(differs)
    }
    await expect(rig.client.orders.modify(orderId, goldm(limit))).rejects.toMatchObject(differs)
    expect(rig.fake.ledger.placed).toHaveLength(length)
    await rig.client.orders.cancel(orderId)
    await place(orderOf({ symbol: 'USDINR29JAN30FUT', exchange: 'CDS', quantity: 1000 }), 'T4')
  })

  it('is known before the first order of a connection in contracts that Kite counts in lots', async () => {
    setMultiplier(100)
    rig.fake.book.hold('MCX:GOLDM30JANFUT', 'NRML', 2)
    await rig.client.orders.preparePlace?.(orderOf())
    expect(rig.fake.requests).toEqual([])
    await expect(rig.client.orders.preparePlace?.(goldm())).rejects.toMatchObject(differs)
    await rig.client.orders.preparePlace?.(orderOf({ symbol: 'USDINR29JAN30FUT', exchange: 'CDS' }))
    expect(rig.fake.requests).toEqual(['GET /portfolio/positions'])
  })

  it('nothing in lots leaves on a connection that has not read the sizes: one that a sign-in made after the preparation', async () => {
    const { orderId } = await place(goldm(limit), 'T1')
    const next = zerodha.connect(SESSION, rig.context)
    onTestFinished(() => next.close())
    setMultiplier(100)
    rig.fake.book.hold('MCX:GOLDM30JANFUT', 'NRML', 2)
    const { length } = rig.fake.ledger.placed
    const unread = { kind: 'unavailable', sent: 'never', message: expect.stringContaining('not read yet') }
    await expect(next.orders.place(goldm(), 'T2')).rejects.toMatchObject(unread)
    await next.orders.prepareChange?.(orderId, 'modify')
    await expect(next.orders.modify(orderId, goldm(limit))).rejects.toMatchObject(unread)
    expect(rig.fake.ledger.placed).toHaveLength(length)
    await expect(next.margins?.estimate([goldm()])).rejects.toMatchObject(differs)
    await next.orders.cancel(orderId)
  })

  it('a first order is not sent while the positions cannot be read', async () => {
    rig.fake.script.set({ route: 'positions', actions: ['5xx_before'] })
    await expect(rig.client.orders.preparePlace?.(goldm())).rejects.toMatchObject({
      kind: 'unavailable',
      sent: 'never',
      message: expect.stringContaining('contract sizes, cannot be read'),
    })
    await rig.client.orders.preparePlace?.(goldm())
  })

  it.each([0, 1, 10])('multiplier %d contradicts nothing', async (multiplier) => {
    setMultiplier(multiplier)
    await place(goldm(), 'T1')
    const [row] = await rig.client.portfolio.positions()
    expect(row).toMatchObject({ quantity: 10 })
    expect(row).not.toHaveProperty('unsettled')
  })

  it('a contract that the table lacks has the reason, too', async () => {
    rig.fake.book.hold('MCX:NEWMETAL30JANFUT', 'NRML', 2)
    expect(await rig.client.portfolio.positions()).toMatchObject([
      { quantity: 2, unsettled: expect.stringContaining('contract size of NEWMETAL on MCX is not settled') },
    ])
  })
})
