import { afterEach, beforeEach, expect, it } from 'vitest'
import { angel } from '../../../../src/core/brokers/angel/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { FakeAngel } from '../../../fixtures/fake-angel/server.js'
import { settledMeanwhile } from '../conformance/settled.js'
import { contextFor, FIELDS, orderOf, SESSION } from './rig.js'

let clock: VirtualClock
let fake: FakeAngel
beforeEach(async () => {
  clock = new VirtualClock('2026-11-27T10:00:00.700+05:30')
  fake = await FakeAngel.start({ clock })
})
afterEach(() => fake.stop())

async function connect(isPaced: boolean) {
  const context = await contextFor(fake, clock, isPaced ? angel.manifest.rateLimits : {})
  return { client: angel.connect(SESSION, context), budgets: context.budgets }
}

it('every class of calls at once stays within the limits of all', async () => {
  const { budgets, client } = await connect(true)
  const { gtts, margins, market, orders, portfolio } = client
  const INFY = { symbol: 'INFY', exchange: 'NSE' }
  const calls = Array.from({ length: 4 }, (_, place) => [
    orders.list(),
    orders.trades(),
    portfolio.positions(),
    portfolio.holdings(),
    portfolio.funds(),
    gtts?.list(),
    margins?.estimate([orderOf()]),
    market.quotes([INFY]),
    market.history({ ...INFY, interval: 'D', from: '2026-11-02', to: '2026-11-06' }),
    budgets.take('order', 'order').then(() => orders.place(orderOf(), `TAG${place}`)),
  ]).flat()
  const results = await settledMeanwhile<unknown>(
    clock,
    () => fake.requests.length,
    calls.map(async (each) => each),
  )
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
  expect(fake.calls.violations).toEqual([])
  await client.close()
})

it('two sign-ins at once wait for each other, with their proofs', async () => {
  const context = await contextFor(fake, clock, angel.manifest.rateLimits)
  const signIns = [1, 2].map(() => angel.auth.complete(FIELDS, context))
  const results = await settledMeanwhile(clock, () => fake.requests.length, signIns)
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect(fake.calls.violations).toEqual([])
})

it('the fake refuses the eleventh order of a second, and that proves that it was not taken', async () => {
  const { client } = await connect(false)
  const orders = Array.from({ length: 11 }, (_, place) => client.orders.place(orderOf(), `TAG${place}`))
  const results = await Promise.allSettled(orders)
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused).toMatchObject([{ kind: 'rate_limit', sent: 'yes' }])
  expect(fake.ledger.placed).toHaveLength(10)
  expect(fake.calls.violations).toMatchObject([{ route: 'place', limit: '10 order a second' }])
  await client.close()
})

it('an hour has at most a thousand orders, of which a tenth is left to cancels and exits', async () => {
  const { budgets } = await connect(true)
  for (let sent = 0; sent < 900; sent++) {
    budgets.noteLeft('order')
    await clock.advance(150)
  }
  await clock.advance(2_000)
  await expect(budgets.take('order', 'order')).rejects.toMatchObject({ code: 'rate_limited' })
  await budgets.take('order', 'cancel')
})
