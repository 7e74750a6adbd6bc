import { expect, test } from 'vitest'
import { silentLogger } from '../../../../src/core/logging/index.js'
import type { Tick } from '../../../../src/core/market/schema.js'
import type { ActiveRun } from '../../../../src/core/strategies/runs/active-run.js'
import { PriceFeed } from '../../../../src/core/strategies/runs/feed.js'
import { VirtualClock } from '../../../../src/core/time/index.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const SETTINGS = { staleMs: 10_000, pollMs: 2_000, pollBatch: 50, fatalMs: 60_000 }

/** A feed with one run that notes what it is told. */
function open({ isOpen = true } = {}) {
  const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
  const told: string[] = []
  const listeners: ((tick: Tick) => void)[] = []
  const market = { price: 0, asked: 0, fails: false, left: 0 }
  const run: Pick<ActiveRun, 'apply' | 'tick'> = {
    apply: (input) => void (input.type === 'feed' && told.push(input.source)),
    tick: (_, price) => void told.push(String(price)),
  }
  const feed = new PriceFeed(
    {
      clock,
      log: silentLogger,
      calendar: { isOpen: () => isOpen, isTradingDay: () => true },
      market: {
        watch: (_, listener) => {
          listeners.push(listener)
          return () => {
            market.left += 1
          }
        },
        quotes: async (refs) => {
          market.asked += 1
          if (market.fails) throw new Error('busy')
          return refs.map((ref) => ({ ...ref, ltp: market.price }) as Tick)
        },
      },
    },
    SETTINGS,
  )
  feed.watch(run as ActiveRun, SBIN)
  const tick = (ltp: number) => {
    for (const listener of listeners) listener({ ...SBIN, ltp } as Tick)
  }
  return { clock, feed, told, market, tick, run: run as ActiveRun }
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

test('polls that the broker refuses pause longer and longer', async () => {
  const { clock, feed, market } = open()
  market.fails = true
  await clock.advance(60_000)
  expect(feed.isDegraded).toBe(true)
  // At 10 s, and 2, 5, 10 and 30 seconds later, on the rounds of two seconds.
  expect(market.asked).toBe(5)
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
