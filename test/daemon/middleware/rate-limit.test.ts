import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRateLimit } from '../../../src/core/config/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { MovingWindowLimiter } from '../../../src/daemon/middleware/rate-limit.js'

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
})
