import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BrokerOrder } from '../../../../../src/core/brokers/broker.js'
import { SimulatedVenue } from '../../../../../src/core/brokers/simulated/venue.js'
import type { OrderRequest } from '../../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { execute } from '../../../../support/files/files.js'
import { byTag } from '../../by-tag.js'
import {
  connect,
  contextOf,
  contractIn,
  FRIDAY_11,
  hostOptions,
  order,
  tempDir,
  testMarket,
} from '../support.js'

const NIFTY_FUT = { exchange: 'NFO', symbol: 'NIFTY24NOV26FUT', product: 'NRML' } as const
const SBIN = { symbol: 'SBIN', exchange: 'NSE' }

describe('placing an order', () => {
  it('fills a market order at once and shows it in the order book, trades and positions', async () => {
    const { client } = connect()
    const before = await client.market.depth(SBIN)
    const { orderId } = await client.orders.place(order({ quantity: 10 }), 'tag1')
    const [row] = await client.orders.list()
    expect(row).toMatchObject({
      orderId,
      tag: 'tag1',
      status: 'complete',
      filledQuantity: 10,
      pendingQuantity: 0,
    })
    expect(row?.averagePrice).toBe(before.ask)
    expect(await client.orders.trades()).toEqual([
      expect.objectContaining({ orderId, quantity: 10, price: before.ask, action: 'BUY' }),
    ])
    const [position] = await client.portfolio.positions()
    expect(position).toMatchObject({ ...SBIN, quantity: 10, averagePrice: before.ask, ltp: before.ltp })
    expect(position?.pnl).toBeCloseTo((before.ltp - before.ask) * 10, 2)
  })

  it('fills a large order level by level, and the rest as the book is renewed', async () => {
    const { client, clock } = connect()
    const depth = await client.market.depth(SBIN)
    const offered = depth.depth.sell.reduce((sum, { quantity }) => sum + quantity, 0)
    const { orderId } = await client.orders.place(order({ quantity: offered + 100 }), 'big')
    expect(await byTag(client, 'big')).toMatchObject({
      status: 'open',
      filledQuantity: offered,
      pendingQuantity: 100,
    })
    expect(await client.orders.trades()).toHaveLength(5)
    await clock.advance(60_000)
    expect(await byTag(client, 'big')).toMatchObject({
      orderId,
      status: 'complete',
      filledQuantity: offered + 100,
    })
  })

  it('keeps a limit order until the market reaches it, and never fills it at a worse price', async () => {
    const { client, clock } = connect()
    const { ltp } = await client.market.depth(SBIN)
    const price = Math.round((ltp - 0.5) * 20) / 20
    await client.orders.place(order({ priceType: 'LIMIT', price, quantity: 5 }), 'limit')
    expect((await byTag(client, 'limit'))?.status).toBe('open')
    for (let minute = 0; minute < 120 && clock.pending > 0; minute++) await clock.advance(60_000)
    const row = await byTag(client, 'limit')
    expect(row?.status).toBe('complete')
    expect(row?.averagePrice).toBeLessThanOrEqual(price)
  })

  it('triggers a stop when the last price reaches its trigger, not before', async () => {
    const { client, clock } = connect()
    const foreseen = testMarket()
    const now = FRIDAY_11 / 1000
    const prices = Array.from({ length: 300 }, (_, i) =>
      foreseen.lastPrice(contractIn(foreseen, 'NSE', 'SBIN'), now + i),
    )
    const triggerPrice = Math.max(...prices)
    const touched = prices.indexOf(triggerPrice)
    expect(touched).toBeGreaterThan(0)
    await client.orders.place(order({ priceType: 'SL-M', triggerPrice, quantity: 5 }), 'stop')
    await clock.advance(touched * 1000 - 1)
    expect((await byTag(client, 'stop'))?.status).toBe('trigger pending')
    await clock.advance(1)
    expect(await byTag(client, 'stop')).toMatchObject({
      status: 'complete',
      timestamp: clock.now(),
    })
    expect(clock.pending).toBe(0)
  })

  it('publishes every change of an order after it is stored', async () => {
    const { client } = connect()
    const updates: BrokerOrder[] = []
    await client.orderEvents.open((update) => updates.push(update))
    const { ltp } = await client.market.depth(SBIN)
    await client.orders.place(order(), 'a')
    const waiting = await client.orders.place(
      order({ priceType: 'LIMIT', price: Math.floor(ltp * 0.9) }),
      'b',
    )
    await client.orders.cancel(waiting.orderId)
    await expect(client.orders.place(order({ quantity: 0 }), 'c')).rejects.toThrow()
    expect(updates.map(({ tag, status }) => [tag, status])).toEqual([
      ['a', 'complete'],
      ['b', 'open'],
      ['b', 'cancelled'],
      ['c', 'rejected'],
    ])
  })
})

/** A call in the money: its last price is about 26,000 minus 23,000, and options have no price band. */
const DEEP_CALL = { exchange: 'NFO', symbol: 'NIFTY24NOV2623000CE', product: 'NRML', quantity: 1755 } as const

describe('the margin of an order is based on the price it can trade for', () => {
  it.each<[string, Partial<OrderRequest>]>([
    ['a SELL LIMIT far below the market', { action: 'SELL', priceType: 'LIMIT', price: 0.05 }],
    ['a MARKET order', {}],
    ['a LIMIT with a trigger it does not use', { priceType: 'LIMIT', price: 5000, triggerPrice: 0.05 }],
  ])('%s cannot spend more than the available cash', async (_name, values) => {
    const { client } = connect({ startingCash: 6_000_000 })
    const request = order({ ...DEEP_CALL, ...values })
    const { ltp } = await client.market.depth(DEEP_CALL)
    expect(ltp).toBeGreaterThan(2500)
    const { total } = await client.margins.estimate([request])
    expect(total).toBeGreaterThanOrEqual(Math.floor(ltp * 1755))
    const refused = { brokerCode: 'FUNDS' }
    if (total <= 6_000_000) await client.orders.place(request, 'first')
    await expect(client.orders.place(request, 'second')).rejects.toMatchObject(refused)
    const { availableCash } = await client.portfolio.funds()
    // The difference between the order book and the last price is slippage.
    expect(Number(availableCash)).toBeGreaterThan(0)
  })
})

describe('a stop whose trigger the market has passed', () => {
  const LAST = testMarket().lastPrice(contractIn(testMarket(), 'NSE', 'SBIN'), FRIDAY_11 / 1000)
  const BUY =
    /^Trigger price for stoploss buy orders should be higher than the last traded price \(\d+(\.\d+)?\)$/
  const SELL =
    /^Trigger price for stoploss sell orders should be lower than the last traded price \(\d+(\.\d+)?\)$/

  it.each<[string, Partial<OrderRequest>, RegExp]>([
    ['BUY SL-M', { priceType: 'SL-M', triggerPrice: LAST - 1 }, BUY],
    ['BUY SL-M at the last price', { priceType: 'SL-M', triggerPrice: LAST }, BUY],
    ['BUY SL', { priceType: 'SL', triggerPrice: LAST - 1, price: LAST + 1 }, BUY],
    ['SELL SL-M', { action: 'SELL', priceType: 'SL-M', triggerPrice: LAST + 1 }, SELL],
    ['SELL SL-M at the last price', { action: 'SELL', priceType: 'SL-M', triggerPrice: LAST }, SELL],
    ['SELL SL', { action: 'SELL', priceType: 'SL', triggerPrice: LAST + 1, price: LAST - 1 }, SELL],
  ])('is rejected, and nothing trades: %s', async (_name, values, message) => {
    const { client } = connect()
    await expect(client.orders.place(order(values), 'stop')).rejects.toMatchObject({
      kind: 'rejected',
      brokerCode: 'TRIGGER_PRICE',
      message: expect.stringMatching(message),
    })
    expect(await client.orders.list()).toMatchObject([{ status: 'rejected', filledQuantity: 0 }])
    expect(await client.orders.trades()).toEqual([])
  })

  it('cannot come from a change of a waiting stop, which stays as it was', async () => {
    const { client } = connect()
    const stop = order({ action: 'SELL', priceType: 'SL-M', triggerPrice: LAST - 5 })
    const { orderId } = await client.orders.place(stop, 'stop')
    const passed = client.orders.modify(orderId, { ...stop, triggerPrice: LAST + 5 })
    await expect(passed).rejects.toMatchObject({ message: expect.stringMatching(SELL) })
    expect(await client.orders.list()).toMatchObject([
      { status: 'trigger pending', triggerPrice: LAST - 5, filledQuantity: 0 },
    ])
  })
})

const REFUSALS: [string, Partial<OrderRequest>, code: string, message: RegExp][] = [
  ['an unknown symbol', { symbol: 'NOPE' }, 'UNKNOWN_SYMBOL', /^Symbol NOPE not found on NSE$/],
  ['an index', { symbol: 'NIFTY', exchange: 'NSE_INDEX' }, 'NOT_TRADABLE', /is an index/],
  [
    'a quantity that is not a multiple of the lot size',
    { ...NIFTY_FUT, quantity: 66 },
    'LOT_SIZE',
    /multiples of lot size 65$/,
  ],
  [
    'more than the freeze quantity',
    { ...NIFTY_FUT, quantity: 1820 },
    'FREEZE_QUANTITY',
    /freeze quantity 1755: split it/,
  ],
  ['NRML on cash', { product: 'NRML' }, 'PRODUCT', /^NRML product not allowed for NSE/],
  [
    'CNC on derivatives',
    { ...NIFTY_FUT, quantity: 65, product: 'CNC' },
    'PRODUCT',
    /^CNC product not allowed for NFO/,
  ],
  ['a limit order without price', { priceType: 'LIMIT' }, 'PRICE', /^LIMIT orders require price$/],
  ['a stop without trigger', { priceType: 'SL-M' }, 'TRIGGER_PRICE', /^SL-M orders require trigger_price$/],
  [
    'a price between ticks',
    { priceType: 'LIMIT', price: 800.02 },
    'TICK_SIZE',
    /not a multiple of the tick size 0.05$/,
  ],
  [
    'a trigger above the limit of a BUY stop',
    { priceType: 'SL', price: 800, triggerPrice: 801 },
    'TRIGGER_PRICE',
    /must not be above/,
  ],
  [
    'a price outside the band',
    { priceType: 'LIMIT', price: 1200 },
    'PRICE_BAND',
    /^Price 1200.00 is outside the day's price band \d+\.\d\d to \d+\.\d\d$/,
  ],
  [
    'a delivery sale without shares',
    { action: 'SELL', product: 'CNC' },
    'NO_HOLDINGS',
    /^Cannot sell SBIN in CNC\. No positions/,
  ],
  [
    'an order that the account cannot pay for',
    { product: 'CNC', quantity: 100_000 },
    'FUNDS',
    /^Insufficient funds\. Required: ₹\d+\.\d\d, Available: ₹10000000\.00, Shortage: ₹\d+\.\d\d$/,
  ],
]

describe('the exchange refuses', () => {
  it.each(REFUSALS)('%s', async (_name, values, brokerCode, message) => {
    const { client } = connect()
    await expect(client.orders.place(order(values), 'refused')).rejects.toMatchObject({
      name: 'BrokerError',
      kind: 'rejected',
      brokerStatus: 400,
      sent: 'yes',
      brokerCode,
      message: expect.stringMatching(message),
    })
    expect(await byTag(client, 'refused')).toMatchObject({ status: 'rejected', filledQuantity: 0 })
    expect(await client.portfolio.positions()).toEqual([])
    expect((await client.portfolio.funds()).availableCash).toBe('10000000.00')
  })

  it('orders outside market hours, if it follows them', async () => {
    const saturday = Date.parse('2026-11-21T11:00:00+05:30')
    const closed = connect({ sessions: 'market' }, saturday)
    await expect(closed.client.orders.place(order(), 'x')).rejects.toMatchObject({ message: 'NSE is closed' })
    const open = connect({ sessions: 'always' }, saturday)
    await expect(open.client.orders.place(order(), 'x')).resolves.toHaveProperty('orderId')
  })

  it('orders on an expired contract', async () => {
    const { client } = connect({}, Date.parse('2026-11-24T15:40:00+05:30'))
    await expect(client.orders.place(order({ ...NIFTY_FUT, quantity: 65 }), 'x')).rejects.toMatchObject({
      brokerCode: 'EXPIRED',
    })
  })
})

describe('modify and cancel', () => {
  it('change a waiting order and match it again', async () => {
    const { client } = connect()
    const { ask } = await client.market.depth(SBIN)
    const low = Math.floor(ask * 0.9)
    const { orderId } = await client.orders.place(order({ priceType: 'LIMIT', price: low }), 'm')
    await client.orders.modify(orderId, order({ priceType: 'LIMIT', price: low + 1, quantity: 12 }))
    expect(await byTag(client, 'm')).toMatchObject({ status: 'open', price: low + 1, quantity: 12 })
    await client.orders.modify(orderId, order({ priceType: 'LIMIT', price: ask, quantity: 5 }))
    expect(await byTag(client, 'm')).toMatchObject({ status: 'complete', filledQuantity: 5 })
  })

  it('leave an order unchanged if the modification is refused', async () => {
    const { client } = connect()
    const { ltp } = await client.market.depth(SBIN)
    const price = Math.floor(ltp * 0.9)
    const { orderId } = await client.orders.place(order({ priceType: 'LIMIT', price }), 'm')
    const before = await byTag(client, 'm')
    await expect(client.orders.modify(orderId, order({ priceType: 'LIMIT', price: 5 }))).rejects.toThrow(
      /band/,
    )
    expect(await byTag(client, 'm')).toEqual(before)
  })

  it('free the margin of a cancelled order', async () => {
    const { client } = connect()
    const { ltp } = await client.market.depth(SBIN)
    const price = Math.floor(ltp * 0.9)
    const { orderId } = await client.orders.place(order({ priceType: 'LIMIT', price, quantity: 100 }), 'c')
    expect((await client.portfolio.funds()).utilized).toBe(((price * 100) / 5).toFixed(2))
    await client.orders.cancel(orderId)
    expect(await client.portfolio.funds()).toMatchObject({ utilized: '0.00', availableCash: '10000000.00' })
  })

  it('report the error: no such order, or a completed order', async () => {
    const { client } = connect()
    const { orderId } = await client.orders.place(order(), 'done')
    await expect(client.orders.cancel('S9')).rejects.toMatchObject({ kind: 'not_found', brokerStatus: 404 })
    await expect(client.orders.cancel(orderId)).rejects.toThrow('Cannot cancel order in complete status')
    await expect(client.orders.modify(orderId, order())).rejects.toThrow(
      'Cannot modify order in complete status',
    )
  })
})

describe('durability', () => {
  it('serves reads while the disk refuses orders, and accepts orders again when the disk does', async () => {
    const { client, stateDir } = connect()
    const file = join(stateDir, 'exchange.db')
    await client.orders.place(order(), 'kept')
    const reads = {
      orders: () => client.orders.list(),
      trades: () => client.orders.trades(),
      positions: () => client.portfolio.positions(),
      holdings: () => client.portfolio.holdings(),
      funds: () => client.portfolio.funds(),
      kept: () => byTag(client, 'kept'),
      lost: () => byTag(client, 'lost'),
      gtts: () => client.gtts.list(),
    }
    const all = () => Promise.all(Object.entries(reads).map(async ([name, read]) => [name, await read()]))
    const before = await all()
    await execute(
      file,
      `create trigger disk_full before insert on exchange_orders begin select raise(abort, 'no space'); end`,
    )
    for (let round = 0; round < 3; round++) {
      const doomed = Promise.allSettled([
        client.orders.place(order(), 'lost'),
        client.orders.place(order(), 'lost'),
      ])
      expect(await all()).toEqual(before)
      for (const { status } of await doomed) expect(status).toBe('rejected')
    }
    await execute(file, 'drop trigger disk_full')
    expect(await all()).toEqual(before)
    await client.orders.place(order(), 'again')
    expect((await client.orders.list()).map(({ tag }) => tag)).toEqual(['kept', 'again'])
  })

  it('a new exchange on the same file has every order, fill and position', async () => {
    const stateDir = tempDir()
    const first = connect({}, undefined, stateDir)
    const { ltp } = await first.client.market.depth(SBIN)
    await first.client.orders.place(order({ quantity: 25 }), 'filled')
    await first.client.orders.place(order({ priceType: 'LIMIT', price: Math.floor(ltp * 0.9) }), 'waits')
    await first.client.orders.place(order({ ...NIFTY_FUT, action: 'SELL', quantity: 65 }), 'future')
    await expect(first.client.orders.place(order({ quantity: 0 }), 'refused')).rejects.toThrow()
    const books = async ({ client }: typeof first) => ({
      orders: await client.orders.list(),
      trades: await client.orders.trades(),
      positions: await client.portfolio.positions(),
      funds: await client.portfolio.funds(),
      tag: await byTag(client, 'waits'),
    })
    const before = await books(first)
    await first.client.close()
    const second = connect({}, undefined, stateDir)
    expect(await books(second)).toEqual(before)
    const { orderId } = await second.client.orders.place(order(), 'next')
    expect(before.orders.map((row) => row.orderId)).not.toContain(orderId)
  })

  it('every acknowledged order is in the file, even if nothing was closed', async () => {
    const stateDir = tempDir()
    const killed = connect({}, undefined, stateDir)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => killed.client.orders.place(order({ quantity: 1 }), `t${i}`)),
    )
    // The second plugin represents the process that starts after the kill.
    const survivor = connect({}, undefined, stateDir)
    for (let i = 0; i < 50; i++) expect(await byTag(survivor.client, `t${i}`)).toMatchObject({ tag: `t${i}` })
    const trades = await survivor.client.orders.trades()
    expect(trades.reduce((sum, trade) => sum + trade.quantity, 0)).toBe(50)
  })

  it('a tag that never arrived is not found, and one sent twice is two orders', async () => {
    const { client } = connect()
    expect(await byTag(client, 'never')).toBeUndefined()
    await client.orders.place(order(), 'twice')
    await client.orders.place(order(), 'twice')
    expect((await client.orders.list()).filter((row) => row.tag === 'twice')).toHaveLength(2)
  })

  it('survives being connected, closed and connected again', async () => {
    const { client, plugin, clock, stateDir } = connect()
    await client.orders.place(order(), 'one')
    const again = connect({}, undefined, stateDir)
    const [, next] = await Promise.all([client.close(), byTag(again.client, 'one')])
    expect(next).toMatchObject({ status: 'complete' })
    await expect(client.orders.list()).rejects.toMatchObject({ kind: 'unavailable', sent: 'never' })
    expect([plugin.manifest.id, clock.pending]).toEqual(['simulated', 0])
  })

  it('the next caller reopens an exchange that had to stop', async () => {
    const stateDir = tempDir()
    const clock = new VirtualClock(FRIDAY_11)
    const host = new SimulatedVenue(hostOptions(), contextOf(clock, stateDir))
    host.join()
    const first = await host.exchange()
    await first.place(order({ quantity: 3 }), 'before')
    await first.close()
    await expect(first.place(order(), 'closed')).rejects.toMatchObject({ kind: 'unavailable', sent: 'never' })
    const [second, same] = await Promise.all([host.exchange(), host.exchange()])
    expect(second).toBe(same)
    expect(await second.positions()).toMatchObject([{ quantity: 3 }])
    expect((await second.entries()).map((entry) => entry.tag)).toEqual(['before'])
    await host.leave()
  })
})

describe('for any sequence of orders', () => {
  const anyOrder = fc.record({
    symbol: fc.constantFrom('SBIN', 'INFY'),
    action: fc.constantFrom('BUY' as const, 'SELL' as const),
    quantity: fc.integer({ min: 1, max: 3000 }),
    priceType: fc.constantFrom('MARKET' as const, 'LIMIT' as const, 'SL-M' as const, 'SL' as const),
    /** Ticks away from the last price. */
    away: fc.integer({ min: -12, max: 12 }),
    waitMs: fc.constantFrom(0, 500, 1000, 7000),
  })

  it('positions are the sum of the fills, orders of their trades, and no money is created or lost', async () => {
    const property = fc.asyncProperty(fc.array(anyOrder, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { client, clock, stateDir } = connect()
      for (const [step, { away, waitMs, ...values }] of steps.entries()) {
        const { ltp } = await client.market.depth({ ...SBIN, symbol: values.symbol })
        // A stop has its trigger ahead of the market.
        const isStop = values.priceType === 'SL' || values.priceType === 'SL-M'
        const ahead = (values.action === 'BUY' ? 1 : -1) * (1 + Math.abs(away))
        const price = Math.round((ltp + (isStop ? ahead : away) * 0.1) * 10) / 10
        await client.orders.place(order({ ...values, price, triggerPrice: price }), `t${step}`)
        await clock.advance(waitMs)
      }
      const trades = await client.orders.trades()
      const signed = ({ action, quantity }: (typeof trades)[number]) =>
        action === 'BUY' ? quantity : -quantity
      let worth = 0
      for (const position of await client.portfolio.positions()) {
        const own = trades.filter((trade) => trade.symbol === position.symbol)
        expect(position.quantity).toBe(own.reduce((sum, trade) => sum + signed(trade), 0))
        worth += position.quantity * position.ltp
      }
      for (const { orderId, filledQuantity } of await client.orders.list()) {
        const own = trades.filter((trade) => trade.orderId === orderId)
        expect(filledQuantity).toBe(own.reduce((sum, trade) => sum + trade.quantity, 0))
      }
      const paid = trades.reduce((sum, trade) => sum + signed(trade) * trade.price, 0)
      const funds = await client.portfolio.funds()
      expect(Number(funds.realized) + Number(funds.unrealized)).toBeCloseTo(worth - paid, 1)
      expect(Number(funds.availableCash) + Number(funds.utilized)).toBeCloseTo(
        10_000_000 + Number(funds.realized),
        1,
      )
      await client.close()
      await rm(stateDir, { recursive: true })
    })
    await fc.assert(property, { numRuns: 12 })
  })
})

describe('a new session', () => {
  it('cancels day orders, clears the order book and turns deliveries into holdings', async () => {
    const { client, clock } = connect({}, Date.parse('2026-11-21T02:59:50+05:30'))
    const { ltp } = await client.market.depth(SBIN)
    const seen: BrokerOrder[] = []
    await client.orderEvents.open((update) => seen.push(update))
    await client.orders.place(order({ product: 'CNC', quantity: 30 }), 'delivery')
    await client.orders.place(order({ priceType: 'LIMIT', price: Math.floor(ltp * 0.85) }), 'waits')
    const [bought] = await client.orders.trades()
    const spent = (bought?.price ?? 0) * 30
    await clock.advanceTo('2026-11-21T03:00:05+05:30')
    expect(await client.orders.list()).toEqual([])
    expect(await client.orders.trades()).toEqual([])
    expect(await client.portfolio.positions()).toEqual([])
    expect(await byTag(client, 'waits')).toMatchObject({ status: 'cancelled' })
    expect(seen.at(-1)).toMatchObject({ tag: 'waits', status: 'cancelled' })
    expect(await client.portfolio.holdings()).toMatchObject([
      { ...SBIN, quantity: 30, averagePrice: bought?.price },
    ])
    expect((await client.portfolio.funds()).availableCash).toBe((10_000_000 - spent).toFixed(2))
    await client.orders.place(order({ product: 'CNC', action: 'SELL', quantity: 30 }), 'sold')
    // As in the books of brokers: sold shares leave the holdings at once, and are a negative position until the night.
    expect(await client.portfolio.holdings()).toMatchObject([{ ...SBIN, quantity: 0, openingQuantity: 30 }])
    const [sale] = await client.portfolio.positions()
    expect(sale).toMatchObject({ ...SBIN, product: 'CNC', quantity: -30 })
    // The price after the sale is no profit and no loss of the day.
    await clock.advance(600_000)
    const [later] = await client.portfolio.positions()
    expect([later?.ltp === sale?.ltp, later?.dayPnl]).toEqual([false, sale?.dayPnl])
    await expect(
      client.orders.place(order({ product: 'CNC', action: 'SELL', quantity: 1 }), 'oversold'),
    ).rejects.toMatchObject({ brokerCode: 'NO_HOLDINGS' })
  })

  it('has no intraday position of an earlier day: brokers square them off', async () => {
    const { client, clock, stateDir } = connect({ sessions: 'market' })
    await client.orders.place(order({ quantity: 10 }), 'day')
    await client.orders.place(order({ ...NIFTY_FUT, quantity: 65 }), 'carried')
    await client.close()
    clock.suspend(Date.parse('2026-11-23T09:20:00+05:30') - clock.now())
    for (let start = 0; start < 2; start++) {
      const { client: again } = connect({ sessions: 'market' }, clock.now(), stateDir)
      expect(await again.portfolio.positions()).toMatchObject([{ ...NIFTY_FUT, quantity: 65 }])
      expect(await again.orders.trades()).toEqual([])
      await again.close()
    }
  })

  it('settles positions in an expired contract once, also after a restart', async () => {
    const { client, clock, stateDir } = connect()
    await client.orders.place(order({ ...NIFTY_FUT, quantity: 65 }), 'future')
    const [bought] = await client.orders.trades()
    await client.close()
    const later = connect({}, Date.parse('2026-11-25T10:00:00+05:30'), stateDir)
    const [position] = await later.client.portfolio.positions()
    const [settled] = await later.client.orders.trades()
    expect(position).toMatchObject({ quantity: 0, symbol: NIFTY_FUT.symbol })
    expect(settled).toMatchObject({ orderId: 'SETTLEMENT', quantity: 65, action: 'SELL' })
    expect(position?.realized).toBeCloseTo(((settled?.price ?? 0) - (bought?.price ?? 0)) * 65, 2)
    await later.client.close()
    const again = connect({}, Date.parse('2026-11-25T10:00:01+05:30'), stateDir)
    expect(await again.client.orders.trades()).toEqual([settled])
    expect(clock.pending).toBe(0)
  })
})
