import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRateLimit } from '../../../src/core/config/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { MovingWindowLimiter } from '../../../src/daemon/middleware/moving-window.js'
import { heapUsed } from '../../support/collector.js'

const limiterOf = (text: string, clock: VirtualClock) => new MovingWindowLimiter(parseRateLimit(text), clock)

describe('the moving-window limiter', () => {
  test('lets a full window through, then returns the time to wait', async () => {
    const clock = new VirtualClock(0)
    const limiter = limiterOf('3 per second', clock)
    expect([limiter.take('a'), limiter.take('a'), limiter.take('a')]).toEqual([0, 0, 0])
    await clock.advance(400)
    expect(limiter.take('a')).toBe(600)
    await clock.advance(600)
    expect(limiter.take('a')).toBe(0)
  })

  test('moves: the window slides with each call instead of restarting every second', async () => {
    const clock = new VirtualClock(0)
    const limiter = limiterOf('2 per second', clock)
    limiter.take('a')
    await clock.advance(900)
    expect(limiter.take('a')).toBe(0)
    await clock.advance(100)
    expect(limiter.take('a')).toBe(0)
    expect(limiter.take('a')).toBe(900)
  })

  test('a refused call is not counted', async () => {
    const clock = new VirtualClock(0)
    const limiter = limiterOf('1 per second', clock)
    limiter.take('a')
    for (let i = 0; i < 50; i++) expect(limiter.take('a')).toBeGreaterThan(0)
    await clock.advance(1000)
    expect(limiter.take('a')).toBe(0)
  })

  test('keeps keys apart', () => {
    const limiter = limiterOf('1 per second', new VirtualClock(0))
    expect([limiter.take('a'), limiter.take('b')]).toEqual([0, 0])
  })

  test('enforces every window at once, for any sequence of calls', async () => {
    const windows = parseRateLimit('5 per second;12 per 3 second')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 120 }), async (gaps) => {
        const clock = new VirtualClock(0)
        const limiter = new MovingWindowLimiter(windows, clock)
        const passed: number[] = []
        let now = 0
        for (const gap of gaps) {
          now += gap
          await clock.advance(gap)
          if (limiter.take('a') === 0) passed.push(now)
        }
        for (const { count, perMs } of windows) {
          for (const end of passed) {
            expect(passed.filter((at) => at > end - perMs && at <= end).length).toBeLessThanOrEqual(count)
          }
        }
      }),
      { numRuns: 30 },
    )
  })

  test('a caller that is forgotten gets no fresh start', () => {
    const limiter = new MovingWindowLimiter(parseRateLimit('5 per minute;25 per hour'), new VirtualClock(0))
    for (let attempt = 0; attempt < 5; attempt++) expect(limiter.take('attacker')).toBe(0)
    for (let other = 0; other < 20_000; other++) limiter.take(`203.0.${other}`)
    expect(limiter.take('attacker')).toBe(60_000)
  })

  test('its calls are not counted twice when it is forgotten again and again', async () => {
    const clock = new VirtualClock(0)
    const limiter = new MovingWindowLimiter(parseRateLimit('5 per minute'), clock, {
      keys: 1,
      sharedCounters: 1e6,
    })
    for (let attempt = 0; attempt < 5; attempt++) {
      expect(limiter.take('caller')).toBe(0)
      limiter.take(`other ${attempt}`)
    }
    expect(limiter.take('caller')).toBe(60_000)
    await clock.advance(60_000)
    expect(limiter.take('caller')).toBe(0)
  })

  test('no sequence of callers brings one of them over a limit, however few are remembered', async () => {
    const windows = parseRateLimit('3 per second;5 per 4 second')
    const call = fc.record({ key: fc.integer({ min: 0, max: 6 }), gap: fc.integer({ min: 0, max: 400 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 150 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        async (calls, keys, sharedCounters) => {
          const clock = new VirtualClock(0)
          const limiter = new MovingWindowLimiter(windows, clock, { keys, sharedCounters })
          const passed = new Map<number, number[]>()
          for (const { key, gap } of calls) {
            await clock.advance(gap)
            if (limiter.take(String(key)) > 0) continue
            passed.set(key, [...(passed.get(key) ?? []), clock.monotonic()])
          }
          for (const { count, perMs } of windows) {
            for (const times of passed.values()) {
              for (const end of times) {
                const inWindow = times.filter((at) => at > end - perMs && at <= end)
                expect(inWindow.length).toBeLessThanOrEqual(count)
              }
            }
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  test('a million addresses take a bounded memory, and pass no login limit', () => {
    const limiter = new MovingWindowLimiter(parseRateLimit('5 per minute;25 per hour'), new VirtualClock(0))
    for (let attempt = 0; attempt < 5; attempt++) limiter.take('attacker')
    const before = heapUsed()
    for (let address = 0; address < 1_000_000; address++)
      limiter.take(`2001:db8:${address.toString(16)}::/64`)
    const grown = heapUsed() - before
    expect(limiter.take('attacker')).toBeGreaterThan(0)
    expect(grown / 2 ** 20).toBeLessThan(20)
  })
})
