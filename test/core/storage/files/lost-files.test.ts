import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { serviceErrorIn } from '../../../../src/core/errors/index.js'
import { Database } from '../../../../src/core/storage/index.js'
import { BatchStatement } from '../../../../src/core/storage/statements/batch.js'
import { tempDir } from '../../../support/files/temp.js'

const INSERT = new BatchStatement({ table: 'notes', columns: ['text'] })

async function desk() {
  const home = join(tempDir(), 'home')
  mkdirSync(home)
  const file = join(home, 'notes.db')
  const db = await Database.open({ file, schema: undefined })
  onTestFinished(() => db.close())
  await db.write((tx) => tx.exec('create table notes (text text not null)'))
  const writes = {
    batch: () => db.batch({ statement: INSERT, rows: [['batch']] }),
    transaction: () => db.write((tx) => tx.exec(`insert into notes values ('transaction')`)),
  }
  await Promise.all([writes.batch(), writes.transaction()])
  return { home, file, db, writes }
}

type Desk = Awaited<ReturnType<typeof desk>>

test.each<[string, (desk: Desk) => void, string]>([
  ['the file was removed', ({ file }) => rmSync(file), ''],
  ['its -wal was removed', ({ file }) => rmSync(`${file}-wal`), '-wal'],
  [
    'another file took its place',
    ({ file }) => {
      rmSync(file)
      writeFileSync(file, '')
    },
    '',
  ],
  ['it was cut to nothing', ({ file }) => truncateSync(file), ''],
  ['its -wal was cut to nothing', ({ file }) => truncateSync(`${file}-wal`), '-wal'],
  [
    'its -wal was cut while SQLite appended to it',
    ({ file }) => {
      const { size } = statSync(`${file}-wal`)
      truncateSync(`${file}-wal`)
      truncateSync(`${file}-wal`, size + 4096)
    },
    '-wal',
  ],
  [
    'a backup was copied over it',
    ({ file }) => {
      writeFileSync(file, readFileSync(file).subarray(0, 100))
    },
    '',
  ],
  ['the folder was removed', ({ home }) => rmSync(home, { recursive: true }), ''],
  [
    'another folder took its place',
    ({ home }) => {
      renameSync(home, `${home}.old`)
      mkdirSync(home)
    },
    '',
  ],
])('nothing is acknowledged once %s, and the error names it', async (_what, takeAway, part) => {
  const given = await desk()
  const { db, file, writes } = given
  expect(db.missing()).toBeUndefined()
  takeAway(given)
  for (const write of Object.values(writes)) {
    await expect(write()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(write()).rejects.toThrow(`${file}${part} was removed or replaced`)
  }
  expect(db.missing()).toBe(`${file}${part}`)
})

test('a file that was moved away and back accepts writes again, and a checkpoint does not count as a loss', async () => {
  const { db, file, writes } = await desk()
  renameSync(file, `${file}.away`)
  await expect(writes.batch()).rejects.toMatchObject({ code: 'unavailable' })
  renameSync(`${file}.away`, file)
  await writes.batch()
  await db.write((tx) => tx.exec('delete from notes'))
  for (let round = 0; round < 50; round++)
    await db.batch({ statement: INSERT, rows: [['x'.repeat(100_000)]] })
  expect([db.missing(), existsSync(file)]).toEqual([undefined, true])
})

test('closing another connection to the file, as a reconnect does, loses nothing', async () => {
  const { db, file, writes } = await desk()
  const other = await Database.open({ file, schema: undefined })
  await other.write((tx) => tx.exec(`insert into notes values ('other')`))
  expect(db.missing()).toBeUndefined()
  await other.close()
  expect(db.missing()).toBeUndefined()
  await writes.transaction()
  expect(await db.queryRaw('select text from notes')).toHaveLength(4)
})

test.each(['', '-wal'])(
  'a read that fails because %s was cut to nothing names the file too',
  async (part) => {
    const { db, file } = await desk()
    truncateSync(`${file}${part}`)
    const read = () => db.read.all(sql`select text from notes`)
    for (const query of [() => db.queryRaw('select text from notes'), read]) {
      const failure = await query().then(
        () => undefined,
        (error: unknown) => error,
      )
      // SQLite may still have the page in memory.
      if (failure !== undefined) expect(serviceErrorIn(failure)).toMatchObject({ code: 'unavailable' })
    }
    expect(db.missing()).toBe(`${file}${part}`)
  },
)
