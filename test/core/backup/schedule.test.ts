import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  clock.suspend(9 * MINUTE)
  await pass(MINUTE)
  expect(await made()).toEqual([])
  clock.suspend(6 * MINUTE)
  await pass(MINUTE)
  await until(async () => (await made()).length === 1)
  expect((await backups.state()).failure).toBeUndefined()
})

test('a failure is published with the time of the first one in a row', async () => {
  const published: unknown[] = []
  const clock = new VirtualClock(FRIDAY)
  const { backups } = await openHome({
    clock,
    onFailure: (failure, origin) => published.push({ ...failure, origin }),
  })
  writeFileSync(backups.folder, '')
  const first = clock.now()
  await expect(backups.make('manual')).rejects.toThrow(backups.folder)
  await clock.advance(MINUTE)
  await expect(backups.make('scheduled')).rejects.toThrow(backups.folder)
  const message = expect.stringContaining(backups.folder)
  expect(published).toEqual([
    { at: first, since: first, origin: 'manual', message },
    { at: first + MINUTE, since: first, origin: 'scheduled', message },
  ])
})

test('the health is known without a read, and follows backups that others make or remove', async () => {
  const clock = new VirtualClock(FRIDAY)
  const { backups, home } = await openHome({ clock })
  /** Waits for a check of the folder after which something is so. */
  const check = async (isSo: () => boolean) => {
    await clock.advance(STEP)
    await eventually(async () => isSo())
  }
  expect(backups.health()).toMatchObject({ newest_at: undefined, overdue: false })
  const first = await backups.make('manual')
  expect(backups.health().newest_at).toBe(first.created_at)
  backups.start()
  // The manifest of a backup that is known is not read again.
  rmSync(join(home, 'backups', first.id, 'manifest.json'))
  expect((await backups.state()).made).toEqual([first])
  const other = await openHome({ home, clock })
  await clock.advance(1000)
  const second = await other.backups.make('manual')
  expect(backups.health().newest_at).toBe(first.created_at)
  await check(() => backups.health().newest_at === second.created_at)
  rmSync(join(home, 'backups'), { recursive: true })
  writeFileSync(join(home, 'backups'), '')
  expect(backups.health()).toMatchObject({ newest_at: second.created_at, failure: undefined })
  await check(() => backups.health().failure?.message.includes('cannot be read') === true)
  rmSync(join(home, 'backups'))
  await check(() => backups.health().failure === undefined)
  expect(backups.health().newest_at).toBeUndefined()
})
