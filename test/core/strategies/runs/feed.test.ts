import { expect, test } from 'vitest'
import { silentLogger } from '../../../../src/core/logging/index.js'
import type { Tick } from '../../../../src/core/market/schema.js'
import type { ActiveRun } from '../../../../src/core/strategies/runs/active-run.js'
import { MAX_STREAMED, PriceFeed } from '../../../../src/core/strategies/runs/feed.js'
import { DAY_MS, VirtualClock } from '../../../../src/core/time/index.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const SETTINGS = { staleMs: 10_000, pollMs: 2_000, pollBatch: 50, fatalMs: 60_000 }

/** A feed with one run that notes what it is told. */
function open(exchange = { isOpen: true }) {
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const told: string[] = []
  const listeners: ((tick: Tick) => void)[] = []
  const market = {
    price: 0,
    asked: 0,
    fails: false,
    left: 0,
    refusesToLeave: false,
    refused: '',
    tradedAt: 0,
    /** Called before quotes are answered. */
    onQuotes: (): void => undefined,
  }
  const calls: { at: number; symbols: string[] }[] = []
  const broker = { brokerId: 'zerodha' }
  const run: Pick<ActiveRun, 'apply' | 'tick' | 'broker'> & { definition: { mode: 'live' } } = {
    broker: 'zerodha',
    definition: { mode: 'live' },
    apply: (input) => void (input.type === 'feed' && told.push(input.source)),
    tick: (_, price, __, isOld) => void told.push(isOld ? `old ${price}` : String(price)),
  }
  const feed = new PriceFeed(
    {
      broker,
      clock,
      log: silentLogger,
      calendar: { isOpen: () => exchange.isOpen, isTradingDay: () => true, close: () => undefined },
      market: {
        watch: (_, listener) => {
          listeners.push(listener)
          return () => {
            market.left += 1
            if (market.refusesToLeave) throw new Error('not subscribed')
          }
        },
        quotes: async (refs) => {
          market.asked += 1
          calls.push({ at: clock.monotonic(), symbols: refs.map(({ symbol }) => symbol) })
          market.onQuotes()
          if (market.fails || refs.some(({ symbol }) => symbol === market.refused)) throw new Error('busy')
          return refs.map((ref) => ({ ...ref, ltp: market.price, timestamp: market.tradedAt }) as Tick)
        },
      },
    },
    SETTINGS,
  )
  feed.watch(run as ActiveRun, SBIN)
  const tick = (ltp: number, timestamp = clock.now()) => {
    for (const listener of listeners) listener({ ...SBIN, ltp, timestamp } as Tick)
  }
  return { broker, calls, clock, feed, told, market, tick, run: run as ActiveRun }
}

test('a silent symbol is polled, becomes stale without any price, and streams again with the next tick', async () => {
  const { clock, market, tick, told } = open()
  tick(100)
  await clock.advance(9_000)
  expect(told).toEqual(['100'])
  market.price = 101
  await clock.advance(3_000)
  expect(told.slice(1, 3)).toEqual(['polling', '101'])
  market.price = 0
  told.length = 0
  await clock.advance(70_000)
  expect(told).toEqual(['stale'])
  tick(102)
  expect(told).toEqual(['stale', 'ws', '102'])
})

test('a live run gets no price of another broker, and the first one at its own ends that', async () => {
  const { broker, clock, market, tick, told } = open()
  tick(100)
  broker.brokerId = 'simulated'
  tick(1)
  tick(2)
  market.price = 3
  await clock.advance(30_000)
  tick(4)
  expect(told).toEqual(['100', 'stale'])
  broker.brokerId = 'zerodha'
  await clock.advance(1_000)
  expect(told).toEqual(['100', 'stale'])
  tick(101)
  expect(told.slice(2).filter((one) => one !== 'polling')).toEqual(['ws', '101'])
})

test('a live run is without prices at once while another broker is silent', async () => {
  const { broker, clock, told } = open()
  broker.brokerId = 'simulated'
  await clock.advance(2_000)
  expect(told).toEqual(['stale'])
})

test('an answer of quotes that the broker gave before another one was chosen is no price', async () => {
  const { broker, clock, market, told } = open()
  broker.brokerId = 'simulated'
  market.price = 1
  market.onQuotes = () => {
    broker.brokerId = 'zerodha'
  }
  await clock.advance(11_000)
  expect(market.asked).toBe(1)
  expect(told).not.toContain('1')
})

test('polls that the broker refuses pause longer and longer', async () => {
  const { clock, feed, market } = open()
  market.fails = true
  await clock.advance(60_000)
  expect(feed.isDegraded).toBe(true)
  // At 10 s, and 2, 5, 10 and 30 seconds later, on the rounds of two seconds.
  expect(market.asked).toBe(5)
})

/** A feed of 120 silent symbols, which take three calls. */
function openMany() {
  const rig = open()
  for (let index = 1; index < 120; index += 1)
    rig.feed.watch(rig.run, { symbol: `S${index}`, exchange: 'NSE' })
  rig.market.price = 101
  return rig
}

test('a call that the broker refuses each time holds up no other symbol, and its pauses grow', async () => {
  const { calls, clock, feed, market } = openMany()
  market.refused = 'S1'
  await clock.advance(70_000)
  const served = new Set(
    calls.filter(({ symbols }) => !symbols.includes('S1')).flatMap(({ symbols }) => symbols),
  )
  expect(served.size).toBeGreaterThanOrEqual(70)
  expect(served).toContain('S119')
  const refused = calls.filter(({ symbols }) => symbols.includes('S1'))
  const pauses = refused.slice(1).map(({ at }, index) => at - (refused[index]?.at ?? 0))
  expect(pauses.length).toBeGreaterThanOrEqual(3)
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(pauses.at(-1)).toBeGreaterThan(20_000)
  expect(feed.isDegraded).toBe(true)
  market.refused = ''
  await clock.advance(40_000)
  expect(feed.isDegraded).toBe(false)
})

test('the calls of one round follow each other with a pause, and a stop waits for none of them', async () => {
  const { calls, clock, feed } = openMany()
  await clock.advance(11_000)
  const starts = calls.slice(0, 3).map(({ at }) => at - (calls[0]?.at ?? 0))
  expect(starts).toEqual([0, 200, 400])
  await clock.advance(1_100)
  expect(calls).toHaveLength(4)
  await feed.stop()
  await clock.advance(10_000)
  expect(calls).toHaveLength(4)
})

test('a closed exchange is neither polled nor stale', async () => {
  const { clock, market, told } = open({ isOpen: false })
  await clock.advance(200_000)
  expect([told, market.asked]).toEqual([[], 0])
})

test('the last run that leaves a symbol releases it', () => {
  const { feed, market, run } = open()
  feed.unwatch(run, SBIN)
  expect([feed.size, market.left]).toEqual([0, 1])
})

test('a feed that refuses to end a subscription does not disturb the run', async () => {
  const { feed, market, run } = open()
  market.refusesToLeave = true
  expect(() => feed.unwatch(run, SBIN)).not.toThrow()
  expect(feed.size).toBe(0)
  feed.watch(run, SBIN)
  await feed.stop()
  expect(market.left).toBe(2)
})

test('a symbol that trades rarely stays polled, and streams again when its ticks follow each other', async () => {
  const { clock, market, tick, told } = open()
  market.price = 101
  for (let i = 0; i < 20; i += 1) {
    await clock.advance(15_000)
    tick(100)
  }
  expect(told.filter((one) => one === 'polling' || one === 'ws')).toEqual(['polling'])
  await clock.advance(1_000)
  tick(100)
  expect(told.filter((one) => one === 'polling' || one === 'ws')).toEqual(['polling', 'ws'])
})

test('a thousand symbols are streamed; a further one is polled, and takes the room of one that leaves when it is followed again', async () => {
  const { clock, feed, market, run, told } = open()
  for (let index = 1; index < MAX_STREAMED; index += 1)
    feed.watch(run, { symbol: `S${index}`, exchange: 'NSE' })
  expect(told).toEqual([])
  const further = { symbol: 'FURTHER', exchange: 'NSE' }
  feed.watch(run, further)
  expect(told).toEqual(['polling'])
  market.price = 101
  await clock.advance(SETTINGS.pollMs)
  expect(told).toContain('101')
  feed.unwatch(run, { symbol: 'S1', exchange: 'NSE' })
  feed.unwatch(run, further)
  told.length = 0
  feed.watch(run, further)
  expect(told).toEqual([])
  await feed.stop()
})

test('a quote that repeats a trade from before the opening is told as old', async () => {
  const exchange = { isOpen: false }
  const { clock, market, told } = open(exchange)
  const yesterday = clock.now() - DAY_MS
  await clock.advance(SETTINGS.pollMs)
  exchange.isOpen = true
  Object.assign(market, { price: 100, tradedAt: yesterday })
  await clock.advance(SETTINGS.staleMs + SETTINGS.pollMs)
  const prices = () => told.filter((one) => one !== 'polling')
  expect(new Set(prices())).toEqual(new Set(['old 100']))
  Object.assign(market, { price: 90, tradedAt: clock.now() })
  await clock.advance(SETTINGS.pollMs)
  expect(prices().at(-1)).toBe('90')
})

test('a symbol that is followed during the session takes no trade of the day before for one of today', async () => {
  const { clock, tick, told } = open()
  tick(100, clock.now() - DAY_MS)
  tick(99, clock.now() - 60_000)
  expect(told).toEqual(['old 100', '99'])
})
