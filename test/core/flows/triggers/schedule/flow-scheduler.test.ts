import fc from 'fast-check'
import { expect, test } from 'vitest'
import type {
  FireOutcome,
  MissedReason,
  MissedRuns,
  Schedule,
} from '../../../../../src/core/flows/triggers/index.js'
import { FlowScheduler } from '../../../../../src/core/flows/triggers/index.js'
import { istDateTime } from '../../../../../src/core/time/index.js'
import { recordingLogger } from '../../../logging/recording-logger.js'
import { ist, JumpingClock } from '../support.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const daily: Schedule = { type: 'daily', hour: 9, minute: 15 }

function rig(start = '2026-11-20 09:00:00', fire?: (id: number) => Promise<FireOutcome>) {
  const clock = new JumpingClock(ist(start))
  const log = recordingLogger()
  const fired: [number, string][] = []
  const missed: [number, string, MissedReason][] = []
  const scheduler = new FlowScheduler({
    clock,
    fire: async (id, scheduledFor) => {
      fired.push([id, istDateTime(scheduledFor)])
      return fire ? fire(id) : 'executed'
    },
    missed: (id, scheduledFor, reason) => missed.push([id, istDateTime(scheduledFor), reason]),
    log,
  })
  return { clock, scheduler, fired, missed, log }
}

const skip = { missedRuns: 'skip' as MissedRuns }
const runOnce = { missedRuns: 'run_once' as MissedRuns }

test('a daily workflow runs once a day at its time', async () => {
  const { clock, scheduler, fired, missed } = rig()
  scheduler.arm(1, daily, skip)
  expect(scheduler.next(1)).toBe(ist('2026-11-20 09:15:00'))
  await clock.advance(3 * DAY)
  expect(fired).toEqual([
    [1, '2026-11-20 09:15:00'],
    [1, '2026-11-21 09:15:00'],
    [1, '2026-11-22 09:15:00'],
  ])
  expect(missed).toEqual([])
})

test('an interval begins one interval after its activation, and keeps its times after a restart', async () => {
  const { clock, scheduler, fired } = rig('2026-11-20 09:02:00')
  const every: Schedule = { type: 'interval', everyMs: 5 * MINUTE }
  scheduler.arm(1, every, { ...skip, anchor: ist('2026-11-20 09:00:00') })
  await clock.advance(9 * MINUTE)
  expect(fired).toEqual([
    [1, '2026-11-20 09:05:00'],
    [1, '2026-11-20 09:10:00'],
  ])
})

test('a single instant a month away runs once and leaves no timer', async () => {
  const { clock, scheduler, fired } = rig()
  scheduler.arm(1, { type: 'once', at: ist('2026-12-25 10:00:00') }, skip)
  await clock.advance(40 * DAY)
  expect(fired).toEqual([[1, '2026-12-25 10:00:00']])
  expect(scheduler.next(1)).toBeUndefined()
  expect(clock.pending).toBe(0)
})

test('a single instant a moment ago still runs, one that has fired does not', async () => {
  const { clock, scheduler, fired } = rig()
  const at = ist('2026-11-20 08:59:30')
  scheduler.arm(1, { type: 'once', at }, skip)
  scheduler.arm(2, { type: 'once', at }, { ...skip, lastFired: at })
  await clock.advance(DAY)
  expect(fired).toEqual([[1, '2026-11-20 08:59:30']])
})

test.each([
  ['within the grace it runs', '2026-11-20 09:15:59', skip, [['2026-11-20 09:15:00']], []],
  ['later it is skipped and reported', '2026-11-20 09:17:00', skip, [], [['2026-11-20 09:15:00', 'late']]],
  ['later it runs once with run_once', '2026-11-20 12:00:00', runOnce, [['2026-11-20 09:15:00']], []],
  [
    'of several days the last is run when so chosen',
    '2026-11-23 12:00:00',
    runOnce,
    [['2026-11-23 09:15:00']],
    [],
  ],
  [
    'of several days the first and the last are noted',
    '2026-11-23 12:00:00',
    skip,
    [],
    [
      ['2026-11-20 09:15:00', 'late'],
      ['2026-11-23 09:15:00', 'late'],
    ],
  ],
  [
    'after days away the run of the minute is made and what was missed is noted',
    '2026-11-23 09:15:30',
    skip,
    [['2026-11-23 09:15:00']],
    [['2026-11-20 09:15:00', 'late']],
  ],
])('after a restart: %s', async (_name, now, options, runs, noted) => {
  const { clock, scheduler, fired, missed } = rig(now)
  scheduler.arm(1, daily, {
    ...options,
    lastFired: ist('2026-11-19 09:15:00'),
    anchor: ist('2026-11-01 12:00:00'),
  })
  await clock.advance(1_000)
  expect(fired).toEqual(runs.map((run) => [1, ...run]))
  expect(missed).toEqual(noted.map((one) => [1, ...one]))
  await clock.advance(DAY)
  expect(fired).toHaveLength(runs.length + 1)
})

test('nothing before the activation is missed', async () => {
  const { clock, scheduler, fired, missed } = rig('2026-11-20 12:00:00')
  scheduler.arm(1, daily, { ...runOnce, lastFired: ist('2026-10-01 09:15:00'), anchor: clock.now() })
  await clock.advance(HOUR)
  expect([fired, missed]).toEqual([[], []])
})

test('a clock that is set forwards is noticed within the grace period', async () => {
  const { clock, scheduler, fired } = rig()
  scheduler.arm(1, daily, skip)
  clock.jump(15 * MINUTE)
  await clock.advance(30_000)
  expect(fired).toEqual([[1, '2026-11-20 09:15:00']])
})

test('a clock that is set back repeats no run', async () => {
  const { clock, scheduler, fired } = rig()
  scheduler.arm(1, daily, skip)
  await clock.advance(16 * MINUTE)
  clock.jump(-10 * MINUTE)
  await clock.advance(HOUR)
  expect(fired).toEqual([[1, '2026-11-20 09:15:00']])
  await clock.advance(DAY)
  expect(fired).toHaveLength(2)
})

test('after a clock was years ahead and set back, a workflow continues to run', async () => {
  const { clock, scheduler, fired } = rig()
  scheduler.arm(1, daily, runOnce)
  clock.jump(1000 * DAY)
  await clock.advance(MINUTE)
  expect(fired).toHaveLength(1)
  clock.jump(-1000 * DAY)
  await clock.advance(2 * DAY)
  expect(fired.slice(1)).toEqual([
    [1, '2026-11-20 09:15:00'],
    [1, '2026-11-21 09:15:00'],
  ])
})

test('a restart with a clock that was set back repeats no run', async () => {
  const { clock, scheduler, fired, missed } = rig('2026-11-20 09:14:58')
  scheduler.arm(1, daily, {
    ...skip,
    lastFired: ist('2026-11-20 09:15:00'),
    anchor: ist('2026-11-01 09:00:00'),
  })
  await clock.advance(DAY + MINUTE)
  expect(fired).toEqual([[1, '2026-11-21 09:15:00']])
  expect(missed).toEqual([])
})

test('a running run prevents the next one, which is reported', async () => {
  let end = (_outcome: FireOutcome) => {}
  const { clock, scheduler, fired, missed } = rig(
    '2026-11-20 09:00:00',
    () => new Promise<FireOutcome>((resolve) => (end = resolve)),
  )
  scheduler.arm(1, { type: 'interval', everyMs: MINUTE }, skip)
  await clock.advance(2 * MINUTE)
  expect(fired).toHaveLength(1)
  expect(missed).toEqual([[1, '2026-11-20 09:02:00', 'still_running']])
  end('executed')
  await clock.advance(MINUTE)
  expect(fired).toHaveLength(2)
})

test('a workflow that runs for another reason, and a run that cannot begin, are reported', async () => {
  const { clock, scheduler, missed, log } = rig('2026-11-20 09:00:00', async (id) => {
    if (id === 2) throw new Error('disk full')
    return 'already_running'
  })
  scheduler.arm(1, daily, skip)
  scheduler.arm(2, daily, skip)
  await clock.advance(HOUR)
  expect(missed).toEqual([[1, '2026-11-20 09:15:00', 'still_running']])
  expect(log.lines).toMatchObject([
    { level: 'error', event: 'flow.schedule_failed', fields: { workflowId: 2, error: 'disk full' } },
  ])
})

test('a disarmed, rearmed or stopped workflow forgets its old time', async () => {
  const { clock, scheduler, fired } = rig()
  scheduler.arm(1, daily, skip)
  scheduler.arm(2, daily, skip)
  scheduler.arm(2, { type: 'daily', hour: 10, minute: 0 }, skip)
  scheduler.disarm(1)
  scheduler.disarm(99)
  await clock.advance(2 * HOUR)
  expect(fired).toEqual([[2, '2026-11-20 10:00:00']])
  scheduler.stop()
  expect(clock.pending).toBe(0)
  await clock.advance(DAY)
  expect(fired).toHaveLength(1)
})

test('two thousand workflows share one timer and run in the order of their times', async () => {
  const { clock, scheduler, fired } = rig()
  for (let id = 0; id < 2_000; id++) {
    scheduler.arm(id, { type: 'daily', hour: (id * 7) % 24, minute: (id * 13) % 60 }, skip)
  }
  expect(scheduler.size).toBe(2_000)
  expect(clock.pending).toBe(1)
  for (let id = 0; id < 2_000; id += 2) scheduler.disarm(id)
  await clock.advance(DAY)
  expect(fired).toHaveLength(1_000)
  const times = fired.map(([, time]) => time)
  expect(times).toEqual(times.toSorted())
})

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 20 * MINUTE }) }),
    fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }) }),
    fc.record({ kind: fc.constant('arm another' as const), ms: fc.integer({ min: 1_000, max: HOUR }) }),
  ),
  { maxLength: 25 },
)
const shortSchedules: fc.Arbitrary<Schedule> = fc.oneof(
  fc.record({ type: fc.constant('interval' as const), everyMs: fc.integer({ min: 30_000, max: HOUR }) }),
  fc.record({
    type: fc.constant('daily' as const),
    hour: fc.integer({ min: 8, max: 10 }),
    minute: fc.integer({ min: 0, max: 59 }),
  }),
  fc.record({
    type: fc.constant('once' as const),
    at: fc.integer({ min: ist('2026-11-20 09:00:00'), max: ist('2026-11-20 12:00:00') }),
  }),
)

test('with any clock changes, every scheduled instant fires at most once, and no other instant fires', async () => {
  await fc.assert(
    fc.asyncProperty(
      shortSchedules,
      fc.constantFrom(skip, runOnce),
      steps,
      async (schedule, options, walk) => {
        const { clock, scheduler, fired } = rig()
        const anchor = clock.now()
        scheduler.arm(1, schedule, { ...options, anchor })
        for (const { kind, ms } of walk) {
          if (kind === 'advance') await clock.advance(ms)
          else if (kind === 'jump') clock.jump(ms)
          else scheduler.arm(2, { type: 'interval', everyMs: ms }, options)
        }
        await clock.advance(2 * MINUTE)
        const instants = fired.filter(([id]) => id === 1).map(([, time]) => time)
        expect(new Set(instants).size).toBe(instants.length)
        for (const time of instants) {
          if (schedule.type === 'daily') {
            expect(time.slice(11, 16)).toBe(
              `${String(schedule.hour).padStart(2, '0')}:${String(schedule.minute).padStart(2, '0')}`,
            )
          }
          if (schedule.type === 'once') expect(time).toBe(istDateTime(schedule.at))
        }
        scheduler.stop()
        expect(clock.pending).toBe(0)
      },
    ),
    { numRuns: 60 },
  )
})

test('a clock that moves forwards in small steps loses no run', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 60_000, max: HOUR }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 10 * MINUTE }), fc.integer({ min: 0, max: 20_000 })), {
        maxLength: 20,
      }),
      async (everyMs, walk) => {
        const { clock, scheduler, fired, missed } = rig()
        const anchor = clock.now()
        scheduler.arm(1, { type: 'interval', everyMs }, { ...skip, anchor })
        for (const [advance, jump] of walk) {
          await clock.advance(advance)
          clock.jump(jump)
          await clock.advance(30_000)
        }
        expect(fired).toHaveLength(Math.floor((clock.now() - anchor) / everyMs))
        expect(missed).toEqual([])
      },
    ),
    { numRuns: 40 },
  )
})

test('a daemon that restarts often runs no instant twice and, with run_once, runs the last missed one', async () => {
  const lives = fc.array(
    fc.record({ up: fc.integer({ min: 0, max: 2 * HOUR }), down: fc.integer({ min: 0, max: 3 * HOUR }) }),
    { minLength: 1, maxLength: 10 },
  )
  const everyMs = fc.integer({ min: 600, max: 4 * 3600 }).map((seconds) => seconds * 1000)
  await fc.assert(
    fc.asyncProperty(everyMs, lives, async (interval, spans) => {
      const schedule: Schedule = { type: 'interval', everyMs: interval }
      const { clock, scheduler, fired, missed } = rig()
      const anchor = clock.now()
      let lastFired: number | undefined
      for (const { up, down } of spans) {
        scheduler.arm(1, schedule, { ...runOnce, anchor, lastFired })
        await clock.advance(up)
        const last = fired.at(-1)
        lastFired = last && ist(last[1])
        const due = anchor + Math.floor((clock.now() - anchor) / interval) * interval
        if (due > anchor) expect(lastFired).toBe(due)
        scheduler.stop()
        await clock.advance(down)
      }
      expect(new Set(fired.map(([, time]) => time)).size).toBe(fired.length)
      expect(missed).toEqual([])
    }),
    { numRuns: 40 },
  )
})
