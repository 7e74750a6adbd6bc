import { describe, expect, test } from 'vitest'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  SystemClock,
  VirtualClock,
} from '../../../src/core/time/index.js'

const START = '2026-11-20T11:00:00+05:30'

describe.each([
  ['+30 s', 30 * SECOND_MS],
  ['+1 h', HOUR_MS],
  ['-1 h', -HOUR_MS],
  ['-1 day', -DAY_MS],
])('after a step of %s', (_, step) => {
  test('an instant is as long ago as time has passed since then', async () => {
    const clock = new VirtualClock(START)
    const before = clock.now()
    await clock.advance(10 * SECOND_MS)
    const between = clock.now()
    clock.step(step)
    expect([before, between].map((instant) => clock.since(instant))).toEqual([10_000, 0])
    await clock.advance(MINUTE_MS)
    const after = clock.now()
    await clock.advance(SECOND_MS)
    expect([before, between, after].map((instant) => clock.since(instant))).toEqual([71_000, 61_000, 1_000])
  })

  test('the instant of a time ago is the one that was shown then', async () => {
    const clock = new VirtualClock(START)
    const before = clock.now()
    await clock.advance(10 * SECOND_MS)
    clock.step(step)
    const after = clock.now()
    await clock.advance(SECOND_MS)
    expect([clock.ago(11_000), clock.ago(1_000), clock.ago(DAY_MS)]).toEqual([
      before,
      after,
      before + 11_000 - DAY_MS,
    ])
  })

  test('a process that begins after the step counts an instant that lies ahead as its own begin', async () => {
    const stored = Date.parse(START)
    const clock = new VirtualClock(stored + step)
    await clock.advance(5 * SECOND_MS)
    expect(clock.since(stored)).toBe(step < 0 ? 5_000 : step + 5_000)
  })
})

test('several steps', async () => {
  const clock = new VirtualClock(START)
  const first = clock.now()
  await clock.advance(MINUTE_MS)
  clock.step(-DAY_MS)
  await clock.advance(MINUTE_MS)
  const second = clock.now()
  clock.step(2 * DAY_MS)
  await clock.advance(MINUTE_MS)
  expect([clock.since(first), clock.since(second)]).toEqual([3 * MINUTE_MS, MINUTE_MS])
})

test('the clock of the machine counts from the instants that it has shown', () => {
  const clock = new SystemClock()
  const now = clock.now()
  expect(clock.since(now)).toBeLessThan(SECOND_MS)
  expect(clock.since(now - HOUR_MS)).toBeGreaterThanOrEqual(HOUR_MS)
  expect(Math.abs(clock.ago(HOUR_MS) - (now - HOUR_MS))).toBeLessThan(SECOND_MS)
})
