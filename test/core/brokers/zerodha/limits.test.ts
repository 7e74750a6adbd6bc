import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import type { GttRequest } from '../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { FakeKite } from '../../../fixtures/fake-kite/server.js'
import { settledMeanwhile } from '../conformance/settled.js'
import { contextFor, orderOf, SESSION } from './rig.js'

/*
 * The fake enforces Kite's limits, in seconds of the clock on the wall, and this clock stands while a call is on its way.
 */
const LIMITS = zerodha.manifest.rateLimits

let clock: VirtualClock
let fake: FakeKite
beforeEach(async () => {
  clock = new VirtualClock('2025-09-04T10:00:00.700+05:30')
  fake = await FakeKite.start({ clock })
})
afterEach(() => fake.stop())

function connect(limits = LIMITS) {
  const context = { ...contextFor(fake.endpoints, clock), budgets: new CallBudgets(limits, clock) }
  return { budgets: context.budgets, client: zerodha.connect(SESSION, context) }
}

const settled = <T>(calls: readonly Promise<T>[]) =>
  settledMeanwhile(clock, () => fake.requests.length, calls)

const refused = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'rejected')

describe('the call limits of Kite', () => {
  it('30 orders at once are all placed, and none is above a limit', async () => {
    const { budgets, client } = connect()
    const placed = await settled(
      Array.from({ length: 30 }, async (_, index) => {
        await budgets.take('order', 'order')
        return client.orders.place(orderOf(), `A${index}`)
      }),
    )
    expect(refused(placed)).toEqual([])
    expect(fake.book.orders).toHaveLength(30)
    expect(fake.calls.violations).toEqual([])
    await client.close()
  })

  it('are enforced by the fake: 11 orders in one second are one too many', async () => {
    const { client } = connect({})
    const placed = await settled(
      Array.from({ length: 11 }, (_, index) => client.orders.place(orderOf(), `B${index}`)),
    )
    expect(refused(placed)).toMatchObject([
      { reason: { kind: 'rate_limit', sent: 'yes', brokerStatus: 429, message: 'Too many requests' } },
    ])
    expect(fake.calls.violations).toMatchObject([{ route: 'place', limit: '10 order a second' }])
    await client.close()
  })

  it('are enforced by the fake for each minute of orders', async () => {
    await fake.stop()
    const order = { perSecond: 100, perMinute: 4 }
    const rest = { perSecond: 100 }
    fake = await FakeKite.start({ clock, limits: { order, quote: rest, history: rest, other: rest } })
    const { client } = connect({})
    const placed = await settled(
      Array.from({ length: 5 }, (_, index) => client.orders.place(orderOf(), `M${index}`)),
    )
    expect(refused(placed)).toHaveLength(1)
    expect(fake.calls.violations).toMatchObject([{ limit: '4 order a minute' }])
    await client.close()
  })

  it('are enforced by the fake for each Indian day of orders, and begin anew at midnight', async () => {
    await fake.stop()
    clock = new VirtualClock('2025-09-04T23:59:30+05:30')
    const rest = { perSecond: 100 }
    fake = await FakeKite.start({ clock, limits: { order: { ...rest, perDay: 3 }, other: rest } })
    const { client } = connect({})
    const place = (count: number) =>
      settled(Array.from({ length: count }, (_, index) => client.orders.place(orderOf(), `D${index}`)))
    expect(refused(await place(4))).toMatchObject([{ reason: { kind: 'rate_limit', sent: 'yes' } }])
    expect(fake.calls.violations).toMatchObject([{ limit: '3 order a day' }])
    await clock.advance(60_000)
    expect(refused(await place(1))).toEqual([])
    await client.close()
  })

  it('quotes of many callers go in two calls, the second one when its second has passed', async () => {
    const { client } = connect()
    const INFY = { symbol: 'INFY', exchange: 'NSE' }
    const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
    const first = client.market.depth(INFY)
    await settled([first])
    const rest = await settled(
      Array.from({ length: 20 }, (_, index) => client.market.quotes([index % 2 === 0 ? INFY : SBIN])),
    )
    expect(refused(rest)).toEqual([])
    expect(fake.requests).toEqual(['GET /quote', 'GET /quote'])
    expect(fake.calls.violations).toEqual([])
    await client.close()
  })

  it('a GTT counts with all other calls, and does not wait for them after its last check', async () => {
    const { budgets, client } = connect()
    const other = () => budgets.stats().find(({ callClass }) => callClass === 'other')?.windows[0]?.used
    await settled(Array.from({ length: 9 }, () => client.portfolio.positions()))
    await clock.advance(1_200)
    await budgets.take('order', 'order')
    const gtt: GttRequest = {
      strategy: 'test',
      type: 'SINGLE',
      symbol: 'INFY',
      exchange: 'NSE',
      action: 'SELL',
      quantity: 5,
      product: 'CNC',
      priceType: 'LIMIT',
      legs: [{ kind: 'stop', triggerPrice: 1450, price: 1445 }],
      expiresAt: undefined,
    }
    expect(other()).toBe(0)
    await client.gtts?.place(gtt, { tag: 'T1', lastPrice: 1500 })
    expect(other()).toBe(1)
    const read = await settled(Array.from({ length: 9 }, () => client.portfolio.positions()))
    expect(refused(read)).toEqual([])
    expect(fake.calls.violations).toEqual([])
    await client.close()
  })

  it('reads of every kind at once stay within all limits', async () => {
    const { client } = connect()
    const bars = { symbol: 'INFY', exchange: 'NSE', interval: '5m', from: '2025-09-04', to: '2025-09-04' }
    const read = await settled<unknown>([
      ...Array.from({ length: 15 }, () => client.orders.list()),
      ...Array.from({ length: 5 }, () => client.portfolio.positions()),
      ...Array.from({ length: 5 }, () => client.market.history(bars)),
      ...Array.from({ length: 3 }, () => client.market.quotes([bars])),
    ])
    expect(refused(read)).toEqual([])
    expect(fake.calls.violations).toEqual([])
    await client.close()
  })
})
