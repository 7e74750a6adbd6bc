import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/core/time/index.js'
import { eventually, pause } from '../../support/eventually.js'
import { openHome } from './support.js'

const MINUTE = 60_000
/** The interval at which the schedule is checked. */
const STEP = MINUTE / 2
/** Half past four in the afternoon in India, from Monday to Friday. */
const WEEKDAYS = '30 16 * * 1-5'
const FRIDAY = '2026-11-20T16:00:00+05:30'

async function scheduled(start: string, schedule = WEEKDAYS) {
  const clock = new VirtualClock(start)
  const opened = await openHome({ clock, schedule, keep: 2 })
  const made = async () => (await opened.backups.state()).made
  /** Moves the clock in the steps of the schedule, and lets the work go on in between. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP) {
      await clock.advance(STEP)
      await pause(10)
      await eventually(async () => !(await opened.backups.state()).running)
    }
  }
  /** Moves the clock until something is so, by at most ten minutes. */
  const until = async (isSo: () => Promise<boolean>) => {
    for (let steps = 0; steps < 20 && !(await isSo()); steps++) await pass(STEP)
    expect(await isSo()).toBe(true)
  }
  return { ...opened, clock, pass, made, until }
}

test('a backup is made at its time, on its days, once', async () => {
  const { backups, clock, made, pass, until } = await scheduled(FRIDAY)
  await backups.make('manual')
  backups.start()
  clock.step(28 * MINUTE)
  await pass(MINUTE)
  expect(await made()).toHaveLength(1)
  expect((await backups.state()).next).toBe(Date.parse('2026-11-20T16:30:00+05:30'))
  await pass(2 * MINUTE)
  await until(async () => (await made()).length === 2)
  const [newest] = await made()
  expect(newest).toMatchObject({ origin: 'scheduled' })
  clock.step(60 * MINUTE)
  await pass(MINUTE)
  expect(await made()).toHaveLength(2)
  // Over the weekend nothing is due.
  clock.step(Date.parse('2026-11-23T16:29:00+05:30') - clock.now())
  await pass(MINUTE / 2)
  expect(await made()).toHaveLength(2)
  await pass(2 * MINUTE)
  await until(async () => (await made()).length === 3)
})

test('a backup that was due while the daemon was down is made after the start', async () => {
  const { backups, made, pass, until } = await scheduled('2026-11-20T20:00:00+05:30')
  expect(await backups.state()).toMatchObject({ overdue: true })
  backups.start()
  await pass(MINUTE)
  await until(async () => (await made()).length === 1)
  expect(await backups.state()).toMatchObject({ overdue: false })
})

test('scheduled backups beyond the number that is kept are removed; others stay', async () => {
  const { backups, clock, made, pass, until } = await scheduled(FRIDAY, '0 * * * *')
  const own = await backups.make('manual')
  backups.start()
  for (let hour = 0; hour < 4; hour++) {
    const before = (await made())[0]?.id
    clock.step(59 * MINUTE)
    await pass(2 * MINUTE)
    await until(async () => (await made())[0]?.id !== before)
  }
  await until(async () => (await made()).length === 3)
  const kept = await made()
  expect(kept.map(({ origin }) => origin)).toEqual(['scheduled', 'scheduled', 'manual'])
  expect(kept[2]?.id).toBe(own.id)
})

test('a failure is reported until a backup succeeds, and tried again after a quarter of an hour', async () => {
  const { backups, clock, made, pass, until } = await scheduled('2026-11-20T20:00:00+05:30')
  // A file has the name of the folder.
  writeFileSync(backups.folder, '')
  backups.start()
  await pass(MINUTE)
  await until(async () => (await backups.state()).failure !== undefined)
  const first = (await backups.state()).failure
  expect(first).toMatchObject({ message: expect.stringContaining(backups.folder) })
  rmSync(backups.folder)
  clock.step(9 * MINUTE)
  await pass(MINUTE)
  expect(await made()).toEqual([])
  clock.step(6 * MINUTE)
  await pass(MINUTE)
  await until(async () => (await made()).length === 1)
  expect((await backups.state()).failure).toBeUndefined()
})
