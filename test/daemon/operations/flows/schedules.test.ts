import { expect, test } from 'vitest'
import type { Body } from '../../../../src/core/flows/ports.js'
import { eventually } from '../../../support/eventually.js'
import { FlowRig, HELLO, SLOW, scheduled } from './flow-rig.js'

const at = (text: string): number => Date.parse(`${text}:00+05:30`)

/**
 * Advances the clock to a due instant and waits until the workflow has processed it. Of the hours before it, only the
 * last minute passes second by second: the timers of each second take time.
 */
async function due(rig: FlowRig, id: number, instant: number): Promise<void> {
  rig.clock.suspend(Math.max(0, instant - 60_000 - rig.clock.now()))
  await rig.clock.advanceTo(instant)
  await eventually(() => rig.flows.workflows.get(id).lastScheduledAt === instant)
}

/** Returns the instants at which runs began, oldest first; no run is in progress. */
async function begun(rig: FlowRig, id: number, count: number): Promise<number[]> {
  await rig.ran(id, count)
  await rig.pass(2000)
  const runs = await rig.ran(id, count)
  for (const run of runs) expect(run).toMatchObject({ trigger: 'schedule', status: 'completed' })
  return runs.map(({ started_at }) => Date.parse(String(started_at))).reverse()
}

/* Starts on Friday the 20th at 11:00. Tuesday the 24th is an NSE holiday. */
test.each<[string, Body, string[], string[]]>([
  [
    'daily, every calendar day',
    { scheduleType: 'daily', time: '10:15', days: [0] },
    ['2026-11-21T10:15', '2026-11-22T10:15', '2026-11-23T10:15', '2026-11-24T10:15', '2026-11-25T10:15'],
    [],
  ],
  [
    'daily in market hours',
    { scheduleType: 'daily', time: '10:15', marketHoursOnly: true },
    ['2026-11-23T10:15', '2026-11-25T10:15'],
    ['2026-11-21T10:15', '2026-11-22T10:15', '2026-11-24T10:15'],
  ],
  [
    'daily in market hours, both ends included',
    { scheduleType: 'daily', time: '15:30', marketHoursOnly: true },
    ['2026-11-20T15:30', '2026-11-23T15:30'],
    ['2026-11-21T15:30', '2026-11-22T15:30'],
  ],
  [
    'daily a minute after them',
    { scheduleType: 'daily', time: '15:31', marketHoursOnly: true },
    [],
    ['2026-11-20T15:31', '2026-11-21T15:31', '2026-11-22T15:31', '2026-11-23T15:31'],
  ],
  [
    'daily in the evening of a holiday on which MCX opens for it',
    { scheduleType: 'daily', time: '18:00', marketHoursOnly: true, marketHoursExchange: 'MCX' },
    ['2026-11-20T18:00', '2026-11-23T18:00', '2026-11-24T18:00'],
    ['2026-11-21T18:00', '2026-11-22T18:00'],
  ],
  [
    'on days of the week',
    { scheduleType: 'weekly', time: '11:30', days: [4, 0] },
    ['2026-11-20T11:30', '2026-11-23T11:30', '2026-11-27T11:30'],
    [],
  ],
  [
    'at an interval',
    { scheduleType: 'interval', intervalValue: 6, intervalUnit: 'hours' },
    ['2026-11-20T17:00', '2026-11-20T23:00', '2026-11-21T05:00'],
    [],
  ],
  ['once', { scheduleType: 'once', executeAt: '2026-11-23T09:30' }, ['2026-11-23T09:30'], []],
  [
    'once, at its time of a day',
    { scheduleType: 'once', executeAt: '2026-11-21', time: '14:05' },
    ['2026-11-21T14:05'],
    [],
  ],
])('%s: fires at its minute of India, exactly once', async (_, schedule, fires, skips) => {
  const rig = await FlowRig.open()
  const id = await rig.create(scheduled(HELLO, schedule))
  await rig.clock.advance(at('2026-11-20T11:00') + 60_000 - rig.clock.now())
  const isInterval = schedule.scheduleType === 'interval'
  await rig.ask('POST', `/workflows/${id}/activate`)
  const activated = rig.flows.workflows.get(id).activatedAt ?? 0
  const shift = isInterval ? activated - at('2026-11-20T11:00') : 0
  const instants = [...fires, ...skips].map((text) => at(text) + shift).sort((a, b) => a - b)
  for (const [index, instant] of instants.entries()) {
    // Where market hours skip an instant, the run after it is the next.
    const next = fires.map((text) => at(text) + shift).find((one) => one >= instant)
    if (next !== undefined) expect(rig.flows.nextRun(id)).toBe(next)
    await due(rig, id, instant)
    const fired = fires.filter((text) => at(text) + shift <= instant).length
    await rig.ran(id, fired)
    if (index === instants.length - 1 && schedule.scheduleType === 'once') {
      expect(rig.flows.nextRun(id)).toBeUndefined()
    }
  }
  expect(await begun(rig, id, fires.length)).toEqual(fires.map((text) => at(text) + shift))
  expect((await rig.show(id)).body).toMatchObject({ is_active: true })
})

test('after a restart it fires at its time, and does not repeat a run', async () => {
  const first = await FlowRig.open()
  const id = await first.arm(scheduled(HELLO, { scheduleType: 'daily', time: '11:30' }))
  await due(first, id, at('2026-11-20T11:30'))
  await first.ran(id, 1)
  const second = await first.restart()
  expect(second.flows.nextRun(id)).toBe(at('2026-11-21T11:30'))
  await due(second, id, at('2026-11-21T11:30'))
  expect(await begun(second, id, 2)).toHaveLength(2)
})

test.each<['skip' | 'run_once', number]>([
  ['skip', 0],
  ['run_once', 1],
])('what was missed while the service was down: %s', async (missedRuns, runs) => {
  const first = await FlowRig.open()
  const id = await first.arm(scheduled(HELLO, { scheduleType: 'daily', time: '11:30', missedRuns }))
  await first.desk.settled(first.desk.close())
  await first.clock.advanceTo(at('2026-11-23T12:00'))
  const second = await first.restart()
  await second.pass(1000)
  await eventually(() => second.flows.workflows.get(id).lastScheduledAt === at('2026-11-23T11:30'))
  expect(await begun(second, id, runs)).toHaveLength(runs)
  const third = await second.restart()
  await third.pass(2000)
  expect(await third.runs(id)).toHaveLength(runs)
  expect(third.flows.nextRun(id)).toBe(at('2026-11-24T11:30'))
})

test('one that is down for less than a minute misses nothing', async () => {
  const first = await FlowRig.open()
  const id = await first.arm(scheduled(HELLO, { scheduleType: 'daily', time: '11:30' }))
  await first.desk.settled(first.desk.close())
  await first.clock.advanceTo(at('2026-11-20T11:30') + 20_000)
  const second = await first.restart()
  await second.pass(1000)
  expect(await begun(second, id, 1)).toHaveLength(1)
})

test('deactivated, deleted or switched to hours that are closed, it fires no more', async () => {
  const rig = await FlowRig.open()
  const daily = { scheduleType: 'daily', time: '18:00' }
  const [off, gone, closed] = await Promise.all(
    ['off', 'gone', 'closed'].map((name) => rig.arm(scheduled(HELLO, daily), name)),
  )
  await rig.ask('POST', `/workflows/${off}/deactivate`)
  await rig.ask('DELETE', `/workflows/${gone}`)
  await rig.ask('PUT', `/workflows/${closed}`, scheduled(HELLO, { ...daily, marketHoursOnly: true }))
  await due(rig, Number(closed), at('2026-11-20T18:00'))
  await rig.pass(2000)
  for (const id of [off, gone, closed]) expect(await rig.runs(Number(id))).toEqual([])
})

test('hours that are switched off later are so from the next time on', async () => {
  const rig = await FlowRig.open()
  const daily = { scheduleType: 'daily', time: '18:00', marketHoursOnly: true }
  const id = await rig.arm(scheduled(HELLO, daily))
  await due(rig, id, at('2026-11-20T18:00'))
  await rig.ask('PUT', `/workflows/${id}`, scheduled(HELLO, { ...daily, marketHoursOnly: false }))
  await due(rig, id, at('2026-11-21T18:00'))
  expect(await begun(rig, id, 1)).toEqual([at('2026-11-21T18:00')])
})

test('a due run finds the one before it still running: it is left out', async () => {
  const rig = await FlowRig.open()
  const id = await rig.arm(
    scheduled(SLOW, { scheduleType: 'interval', intervalValue: 40, intervalUnit: 'seconds' }),
  )
  const start = rig.flows.workflows.get(id).activatedAt ?? 0
  await due(rig, id, start + 40_000)
  await rig.begun(id)
  await due(rig, id, start + 80_000)
  await rig.clock.advanceTo(start + 110_000)
  await rig.ran(id, 1)
  await due(rig, id, start + 120_000)
  await rig.begun(id)
  expect(await rig.runs(id)).toHaveLength(2)
})

test('a thousand schedules wait behind one timer', async () => {
  const rig = await FlowRig.open()
  const before = rig.clock.pending
  const caller = { username: 'asha', apiKey: rig.http.apikey }
  const files = Array.from({ length: 1000 }, (_, index) => ({
    key: `w-${index}`,
    name: `w-${index}`,
    description: null,
    ...scheduled(HELLO, { scheduleType: 'daily', time: `1${index % 10}:${10 + (index % 50)}` }),
  }))
  await rig.desk.settled(rig.flows.apply({ workflows: files, prune: false, activate: true }, caller))
  expect(rig.clock.pending).toBe(before + 1)
  const second = await rig.restart()
  expect(second.clock.pending).toBeLessThan(30)
  let looks = 0
  const original = second.clock.setTimeout.bind(second.clock)
  second.clock.setTimeout = (fn, delayMs) => {
    looks += 1
    return original(fn, delayMs)
  }
  await second.clock.advance(5 * 60_000)
  expect(looks).toBeLessThan(50)
})
