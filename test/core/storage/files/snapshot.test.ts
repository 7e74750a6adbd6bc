import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Database, inspectDatabase, snapshotsAtOneMoment } from '../../../../src/core/storage/index.js'
import { SystemClock, type Timer } from '../../../../src/core/time/index.js'
import { query } from '../../../support/files/files.js'
import { tempDir } from '../../../support/files/temp.js'

const clock = new SystemClock()
const signal = new AbortController().signal

async function openPair() {
  const folder = tempDir()
  const open = async (name: string) => {
    const database = await Database.open({ file: join(folder, name), schema: undefined })
    onTestFinished(() => database.close())
    await database.write((tx) => tx.exec('create table steps (id integer primary key, filler text)'))
    return database
  }
  return { folder, open, first: await open('first.db'), second: await open('second.db') }
}

const add = (database: Database, id: number) =>
  database.write((tx) => tx.exec('insert into steps (id, filler) values (?, ?)', [id, 'x'.repeat(200)]))

async function idsIn(file: string): Promise<Set<number>> {
  return new Set((await query<{ id: number }>(file, 'select id from steps')).map(({ id }) => id))
}

test('copies of two files are of one moment: what was answered is in both, and no step is in the second alone', async () => {
  const { folder, first, open, second } = await openPair()
  // Without a hold, the snapshot of the last file would be later than that of the first.
  const between = await Promise.all(Array.from({ length: 12 }, (_, index) => open(`between-${index}.db`)))
  const answered = new Set<number>()
  let next = 0
  let isOver = false
  const clients = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const id = next++
      await add(first, id)
      await add(second, id)
      answered.add(id)
    }
  })
  for (let round = 0; round < 20; round++) {
    const before = [...answered]
    const { snapshots, heldMs } = await snapshotsAtOneMoment({
      databases: [first, ...between, second],
      others: [],
      clock,
      signal,
    })
    expect(heldMs).toBeLessThan(250)
    const ends = snapshots.filter(({ file }) => file === first.file || file === second.file)
    const copies = await Promise.all(
      ends.map(async (snapshot, index) => {
        const copy = join(folder, `copy-${round}-${index}.db`)
        await snapshot.copyTo(copy, signal)
        expect(await inspectDatabase(copy)).not.toHaveProperty('damage')
        return idsIn(copy)
      }),
    )
    for (const snapshot of snapshots) await snapshot.close()
    const [inFirst = new Set(), inSecond = new Set()] = copies
    expect(before.filter((id) => !inFirst.has(id) || !inSecond.has(id))).toEqual([])
    expect([...inSecond].filter((id) => !inFirst.has(id))).toEqual([])
  }
  isOver = true
  await Promise.all(clients)
})

test('the writers wait for a long transaction of one of them, for a quarter of a second at most', async () => {
  const { first, second } = await openPair()
  const stop = new AbortController()
  let isRunning = true
  const long = first.write(async (tx) => {
    const until = clock.monotonic() + 1_500
    while (clock.monotonic() < until) await tx.exec('insert into steps (filler) values (1)')
    isRunning = false
  })
  let begins: () => void = () => undefined
  const began = new Promise<void>((resolve) => {
    begins = resolve
  })
  const watched = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms: number) => clock.sleep(ms),
    clear: (timer: Timer) => clock.clear(timer),
    /** The first call sets the limit of the hold. */
    setTimeout: (fn: () => void, ms: number) => {
      begins()
      return clock.setTimeout(fn, ms)
    },
  }
  const moment = snapshotsAtOneMoment({
    databases: [first, second],
    others: [],
    clock: watched,
    signal: stop.signal,
  })
  await began
  const heldAt = clock.monotonic()
  await add(second, 1)
  const waited = clock.monotonic() - heldAt
  expect(waited).toBeGreaterThan(200)
  expect(waited).toBeLessThan(1_000)
  expect(isRunning).toBe(true)
  await long
  const { snapshots } = await moment
  for (const snapshot of snapshots) await snapshot.close()
  await add(first, 1_000_000)
})

test('an aborted search for a moment leaves the writers free', async () => {
  const { first } = await openPair()
  const stop = new AbortController()
  stop.abort(new Error('stopping'))
  const { snapshots } = await snapshotsAtOneMoment({
    databases: [first],
    others: [],
    clock,
    signal: stop.signal,
  })
  const [snapshot] = snapshots
  await expect(snapshot?.copyTo(`${first.file}.copy`, stop.signal)).rejects.toThrow('stopping')
  await snapshot?.close()
  await add(first, 1)
})

test('a file that was restored, and that nothing has opened since, is copied with the others', async () => {
  const { folder, first } = await openPair()
  await add(first, 1)
  const restored = join(folder, 'restored.db')
  const of = (others: readonly string[]) =>
    snapshotsAtOneMoment({ databases: [first], others, clock, signal })
  const before = await of([])
  await before.snapshots[0]?.copyTo(restored, signal)
  const after = await of([restored])
  const copy = join(folder, 'copy.db')
  await after.snapshots[1]?.copyTo(copy, signal)
  expect(await idsIn(copy)).toEqual(new Set([1]))
  for (const snapshot of [...before.snapshots, ...after.snapshots]) await snapshot.close()
})
