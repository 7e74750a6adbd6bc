import { expect, it, onTestFinished } from 'vitest'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import { upstox } from '../../../../src/core/brokers/upstox/index.js'
import type { GttRequest } from '../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { FakeUpstox } from '../../../fixtures/fake-upstox/server.js'
import { settledMeanwhile } from '../conformance/settled.js'
import { contextFor, orderOf, SESSION } from './rig.js'

async function open() {
  const clock = new VirtualClock('2026-11-27T11:00:00+05:30')
  const fake = await FakeUpstox.start({ clock })
  const budgets = new CallBudgets(upstox.manifest.rateLimits, clock)
  const client = upstox.connect(SESSION, { ...contextFor(fake.endpoints, clock), budgets })
  onTestFinished(async () => {
    await client.close()
    await fake.stop()
  })
  const settled = <T>(calls: readonly Promise<T>[]) =>
    settledMeanwhile(clock, () => fake.requests.length, calls)
  return { budgets, client, clock, fake, settled }
}

it('orders and GTTs of two hosts share one budget, and stay within ten a second', async () => {
  const { budgets, client, fake, settled } = await open()
  const gtt: GttRequest = {
    strategy: 'test',
    type: 'SINGLE',
    symbol: 'INFY',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    product: 'CNC',
    priceType: 'MARKET',
    expiresAt: undefined,
    legs: [{ kind: 'stop', triggerPrice: 1450, price: 0 }],
  }
  const calls = Array.from({ length: 24 }, async (_, at) => {
    await budgets.take('order', 'order')
    if (at % 2 === 0) await client.orders.place(orderOf(), `tag${at}`)
    else await client.gtts?.place(gtt, { tag: '', lastPrice: 1500 })
  })
  const results = await settled(calls)
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
  expect(fake.calls.violations).toEqual([])
  expect(
    budgets
      .orderStats()
      .windows.map(({ limit, perMs, used }) => [limit, perMs, used])
      .slice(1),
  ).toEqual([
    [500, 60_000, 24],
    [2000, 1_800_000, 24],
  ])
})

it('reads that exits need may use what half an hour keeps for exits, when other reads may not', async () => {
  const { budgets, client, settled } = await open()
  for (let used = 0; used < 1800; used++) budgets.noteLeft('other')
  const quotes = client.market.quotes([{ symbol: 'INFY', exchange: 'NSE' }])
  const polled = client.orders.list()
  const needed = [
    client.orders.list('exit'),
    client.portfolio.positions('exit'),
    client.ticks?.open(() => undefined),
  ]
  const [market, book, ...others] = await settled<unknown>([
    quotes,
    polled,
    ...needed.map((read) => Promise.resolve<unknown>(read)),
  ])
  const refused = { status: 'rejected', reason: { kind: 'rate_limit', sent: 'never' } }
  expect([market, book]).toMatchObject([refused, refused])
  expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
})

it('the broker refuses more than 2,000 calls in its half hour', async () => {
  const { client, clock, fake } = await open()
  const budgets = new CallBudgets({}, clock)
  const hasty = upstox.connect(SESSION, { ...contextFor(fake.endpoints, clock), budgets })
  onTestFinished(() => hasty.close())
  for (let calls = 0; calls < 2000; calls++) {
    if (calls % 40 === 0) await clock.advance(5_000)
    fake.calls.admits('quote')
  }
  await expect(hasty.portfolio.holdings()).rejects.toMatchObject({
    kind: 'rate_limit',
    brokerCode: 'UDAPI10005',
  })
  expect(fake.calls.violations).toMatchObject([{ limit: '2000 other in 30 minutes' }])
  await clock.advance(30 * 60_000)
  expect(await client.portfolio.holdings()).toHaveLength(1)
})
