import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { latestFire, nextFire, type Schedule } from '../../../../../src/core/flows/triggers/index.js'
import { istParts, istTime } from '../../../../../src/core/time/index.js'
import { ist } from '../support.js'

const OWN_ZONE = process.env.TZ
afterEach(() => {
  if (OWN_ZONE === undefined) delete process.env.TZ
  else process.env.TZ = OWN_ZONE
})

const daily: Schedule = { type: 'daily', hour: 9, minute: 15 }
const weekly: Schedule = { type: 'weekly', hour: 11, minute: 0, days: [2, 6] }
const interval: Schedule = { type: 'interval', everyMs: 300_000 }
const once: Schedule = { type: 'once', at: ist('2026-11-20 15:20:00') }
const anchor = ist('2026-11-20 09:16:00')

/** 2026-11-20 is a Friday. */
const CASES: [string, Schedule, after: string, next: string | undefined][] = [
  ['daily, a moment before', daily, '2026-11-20 09:14:59.999', '2026-11-20 09:15:00'],
  ['daily, at its instant', daily, '2026-11-20 09:15:00', '2026-11-21 09:15:00'],
  ['daily, over a month', daily, '2026-11-30 20:00:00', '2026-12-01 09:15:00'],
  ['daily, at a leap day', daily, '2028-02-28 10:00:00', '2028-02-29 09:15:00'],
  ['weekly, to Sunday', weekly, '2026-11-20 10:00:00', '2026-11-22 11:00:00'],
  ['weekly, to Wednesday', weekly, '2026-11-22 11:00:00', '2026-11-25 11:00:00'],
  ['interval, one after its anchor', interval, '2026-11-20 09:16:00', '2026-11-20 09:21:00'],
  ['interval, before its anchor', interval, '2026-11-20 08:00:00', '2026-11-20 09:21:00'],
  ['interval, on its grid', interval, '2026-11-20 10:00:00', '2026-11-20 10:01:00'],
  ['once, before', once, '2026-11-20 15:19:59', '2026-11-20 15:20:00'],
  ['once, at its instant', once, '2026-11-20 15:20:00', undefined],
]

describe.each(['Asia/Kolkata', 'UTC', 'America/New_York'])('on a host in %s', (zone) => {
  test.each(CASES)('%s', (_name, schedule, after, next) => {
    process.env.TZ = zone
    expect(nextFire(schedule, { after: ist(after), anchor })).toBe(next && ist(next))
  })
})

test('the last instant up to a moment includes the moment', () => {
  const at = ist('2026-11-20 09:15:00')
  expect(latestFire(daily, { upTo: at, anchor })).toBe(at)
  expect(latestFire(daily, { upTo: at - 1, anchor })).toBe(at - 86_400_000)
  expect(latestFire(interval, { upTo: anchor + 299_999, anchor })).toBeUndefined()
  expect(latestFire(once, { upTo: at, anchor })).toBeUndefined()
})

const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({
    type: fc.constant('daily' as const),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
  }),
  fc.record({
    type: fc.constant('weekly' as const),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
    days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
  }),
  fc.record({ type: fc.constant('interval' as const), everyMs: fc.integer({ min: 1_000, max: 90_000_000 }) }),
)
const instants = fc.integer({ min: ist('2026-01-01 00:00:00'), max: ist('2028-12-31 00:00:00') })

test('the next instant is in the future, on an allowed day at its time, with no instant in between', () => {
  fc.assert(
    fc.property(schedules, instants, (schedule, after) => {
      const next = nextFire(schedule, { after, anchor }) ?? Number.NaN
      expect(next).toBeGreaterThan(after)
      expect(latestFire(schedule, { upTo: next, anchor })).toBe(next)
      const before = latestFire(schedule, { upTo: next - 1, anchor })
      if (before !== undefined) expect(before).toBeLessThanOrEqual(Math.max(after, anchor))
      if (schedule.type === 'interval') expect((next - anchor) % schedule.everyMs).toBe(0)
      if (schedule.type === 'daily' || schedule.type === 'weekly') {
        const two = (n: number) => String(n).padStart(2, '0')
        expect(istTime(next)).toBe(`${two(schedule.hour)}:${two(schedule.minute)}:00`)
      }
      if (schedule.type === 'weekly') expect(schedule.days).toContain(istParts(next).weekday - 1)
    }),
    { numRuns: 200 },
  )
})
