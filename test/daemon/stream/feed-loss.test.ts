import { expect, test } from 'vitest'
import type { Tick } from '../../../src/core/market/index.js'
import { brokerStateView } from '../../../src/daemon/operations/control/broker/state.js'
import { MarketStream } from '../../../src/daemon/stream/market/stream.js'
import type { Receiver } from '../../../src/daemon/stream/market/topic.js'
import { asleep } from '../../support/asleep.js'
import { type DeskOptions, TestDesk, USER } from '../../support/desk/desk.js'
import { deskClock } from '../../support/desk/desk-clock.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }

/** A desk with a watched price feed and one subscriber of SBIN. */
async function follow(options: DeskOptions = {}) {
  const desk = await TestDesk.open(options)
  const { brokers, feedWatch, hub } = desk.service
  feedWatch.start()
  const stream = new MarketStream(desk.service)
  const frames: { data: Pick<Tick, 'timestamp'> }[] = []
  const receiver: Receiver = {
    username: USER,
    open: true,
    offer: (_, frame) => frames.push(JSON.parse(String(frame))) > 0,
    forget: () => undefined,
  }
  stream.subscriptions.follow(receiver, { ...SBIN, mode: 'quote' })
  await desk.clock.advance(3000)
  expect(frames.length).toBeGreaterThan(1)
  const feed = async () => (await brokerStateView(desk.service)).feed
  return { desk, feed, frames, hub, brokers, stream }
}

test('a silent feed is noticed within five seconds, shown, and reopened', async () => {
  const { desk, feed, frames, brokers, stream } = await follow()
  expect(await feed()).toMatchObject({ state: 'live', symbols: 1, stale: 0, losses: 0 })
  expect(stream.broker.status()).toBe('connected')

  brokers.plugins.faults().dropConnections('feed')
  frames.length = 0
  await desk.clock.advance(5000)
  expect(await feed()).toMatchObject({ state: 'lost', losses: 1 })
  expect(stream.broker.status()).toBe('lost')

  await desk.clock.advance(20_000)
  expect(frames.length).toBeGreaterThan(10)
  expect(await feed()).toMatchObject({ state: 'live', attempts: 0, losses: 1 })
})

test('a feed that rests outside market hours is not lost, and one that does not come back at the opening is', async () => {
  const { desk, feed, brokers, stream } = await follow({
    env: { SIM_SESSIONS: 'market' },
    clock: deskClock('2026-11-19T15:25:00+05:30'),
  })
  expect(await feed()).toMatchObject({ state: 'live' })
  await desk.clock.advanceTo('2026-11-19T15:31:00+05:30')
  expect(await feed()).toMatchObject({ state: 'closed', losses: 0, attempts: 0 })
  expect(stream.broker.status()).toBe('connected')
  brokers.plugins.faults().set([{ on: ['feed'], kind: 'refuse_connection' }])
  brokers.plugins.faults().dropConnections('feed')
  await desk.clock.advanceTo('2026-11-19T15:41:00+05:30')
  expect(await feed()).toMatchObject({ state: 'closed', losses: 0, attempts: 0 })

  await asleep(desk.clock, Date.parse('2026-11-20T09:14:59+05:30') - desk.clock.now())
  expect(await feed()).toMatchObject({ state: 'closed', losses: 0, attempts: 0 })
  await desk.clock.advanceTo('2026-11-20T09:15:06+05:30')
  expect(await feed()).toMatchObject({ state: 'lost', losses: 1 })
})

test('while it is lost, orders whose price the market sets are refused, where the rule asks for that', async () => {
  const { desk, brokers } = await follow()
  const { risk } = desk.service
  await risk.change({ max_price_age_seconds: 4 }, USER)
  expect((await desk.place()).code).toBe('ok')

  brokers.plugins.faults().set([{ on: ['feed'], kind: 'refuse_connection' }])
  brokers.plugins.faults().dropConnections('feed')
  await desk.clock.advance(5000)
  const stale = await desk.place()
  expect(stale).toMatchObject({ status: 403, code: 'price_stale', body: { rule: 'max_price_age_seconds' } })
  expect(stale.body.message).toMatch(/^The last price of SBIN is \d\.\d seconds old; the limit is 4 seconds$/)
  // An order with its own price, and a symbol quoted by the broker: neither waits for the feed.
  expect((await desk.place({ pricetype: 'LIMIT', price: 700 })).code).toBe('ok')
  expect((await desk.place({ symbol: 'INFY' })).code).toBe('ok')
  expect(await desk.ledger()).toHaveLength(3)

  brokers.plugins.faults().set([])
  await desk.clock.advance(70_000)
  expect((await desk.place()).code).toBe('ok')
})

test('a feed that cannot be opened at the start does not keep orders waiting, and follows later', async () => {
  const faults = [{ on: ['feed', 'orderFeed'], kind: 'refuse_connection', times: 6 }]
  const desk = await TestDesk.open({ env: { SIM_FAULTS: JSON.stringify(faults) } })
  const { hub } = desk.service
  hub.subscribe([SBIN], 2, () => undefined)
  expect((await desk.place()).code).toBe('ok')
  await desk.clock.advance(2000)
  expect([hub.ticks, await desk.published('order.update')]).toEqual([0, []])
  await desk.clock.advance(10_000)
  expect(hub.ticks).toBeGreaterThan(0)
  expect((await desk.place()).code).toBe('ok')
  await desk.clock.advance(1000)
  expect((await desk.published('order.update')).length).toBeGreaterThan(0)
})
