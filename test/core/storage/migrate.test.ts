import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Migration,
  migrate,
  migrationsOf,
  type PendingMigration,
  refuseUnreadable,
  removeOldCopies,
  requireSpace,
  schemaProblem,
} from '../../../src/core/storage/migrate.js'
import { SqliteConnection } from '../../../src/core/storage/sqlite.js'
import { execute, query } from '../../support/files/files.js'
import { tempFile } from '../../support/files/temp.js'

const migration = (folderMillis: number, ...sql: string[]): Migration => ({
  folderMillis,
  sql,
  hash: String(folderMillis),
  bps: true,
})
const FIRST = migration(1, 'create table orders (id integer primary key);', 'insert into orders values (7);')
const SECOND = migration(2, 'alter table orders add column note text;', `update orders set note = 'kept';`)
const WRONG = migration(3, 'create table halves (id integer);', 'insert into nowhere values (1);')

/** Opens a file and applies migrations to it. Returns those that it announced. */
async function migrated(file: string, migrations: readonly Migration[]): Promise<PendingMigration[]> {
  const connection = await SqliteConnection.open(file, 'writable')
  const announced: PendingMigration[] = []
  try {
    await migrate(connection, file, migrations, (pending) => announced.push(pending))
  } finally {
    await connection.close()
  }
  return announced
}

describe('the migrations of a file', () => {
  test('make a new file without a copy or an announcement', async () => {
    const file = tempFile('orders.db')
    expect(await migrated(file, [FIRST, SECOND])).toEqual([])
    expect(await query(file, 'select * from orders')).toEqual([{ id: 7, note: 'kept' }])
    expect(await query(file, 'select created_at, hash from __migrations')).toEqual([
      { created_at: 1, hash: '1' },
      { created_at: 2, hash: '2' },
    ])
  })

  test('that a file lacks are applied after a copy of it is made', async () => {
    const file = tempFile('orders.db')
    await migrated(file, [FIRST])
    const copy = `${file}.before-2`
    expect(await migrated(file, [FIRST, SECOND])).toEqual([{ file, bytes: expect.any(Number), copy }])
    expect(await query(file, 'select * from orders')).toEqual([{ id: 7, note: 'kept' }])
    expect(await query(copy, 'select * from orders')).toEqual([{ id: 7 }])
    expect(await migrated(file, [FIRST, SECOND]), 'a second start has nothing to do').toEqual([])
  })

  test('leave the file as it was when one of them fails', async () => {
    const file = tempFile('orders.db')
    await migrated(file, [FIRST])
    await expect(migrated(file, [FIRST, SECOND, WRONG])).rejects.toThrow('nowhere')
    expect(await query(file, 'select * from orders')).toEqual([{ id: 7 }])
    expect(await query(file, `select name from sqlite_schema where name = 'halves'`)).toEqual([])
    expect(existsSync(`${file}.before-3`)).toBe(true)
  })
})

test('the copies of a file from before its last two migrations stay, and nothing else is removed', async () => {
  const file = tempFile('orders.db')
  const third = migration(10, 'create table more (id integer);')
  const names = [
    'orders.db.before-9-mine',
    'orders.db.before-',
    'logs.db.before-1',
    'more-orders.db.before-1',
  ]
  for (const name of names) writeFileSync(join(dirname(file), name), '')
  await migrated(file, [FIRST])
  await migrated(file, [FIRST, SECOND])
  const fourth = migration(11, 'create table most (id integer);')
  expect(await removeOldCopies(file)).toEqual([])
  await migrated(file, [FIRST, SECOND, third])
  await migrated(file, [FIRST, SECOND, third, fourth])
  expect(await removeOldCopies(file)).toEqual([`${file}.before-2`])
  expect(await removeOldCopies(file)).toEqual([])
  const kept = ['orders.db', 'orders.db.before-10', 'orders.db.before-11', ...names]
  expect(readdirSync(dirname(file)).sort()).toEqual(kept.sort())
})

describe('a file of another version', () => {
  const newest = migrationsOf('svc').at(-1)?.folderMillis ?? 0
  test.each([
    [
      'a newer version',
      newest + 1,
      'was written by a newer version of svc; start that version, or restore a backup',
    ],
    ['the time before the first release', newest - 1, 'was written before the first release of svc'],
  ])('%s is refused by name and stays as it is', async (_name, number, message) => {
    expect(schemaProblem('svc', number)).toContain(message)
    const file = tempFile('svc.db')
    await execute(
      file,
      `create table __migrations (created_at integer); insert into __migrations values (${number})`,
    )
    const before = await query(file, 'select * from sqlite_schema')
    await expect(refuseUnreadable(file, 'svc')).rejects.toThrow(`${file} ${message}`)
    expect(await query(file, 'select * from sqlite_schema')).toEqual(before)
  })

  test('this version and an empty file are read', async () => {
    expect(schemaProblem('svc', newest)).toBeUndefined()
    const file = tempFile('svc.db')
    await migrated(file, migrationsOf('svc'))
    await expect(refuseUnreadable(file, 'svc')).resolves.toBeUndefined()
    await expect(refuseUnreadable(tempFile('absent.db'), 'svc')).resolves.toBeUndefined()
  })
})

test('a disk without room for the copy and the log of a migration is named before anything is written', () => {
  expect(() => requireSpace('/home/svc.db', 300_000_000, 600_000_000)).not.toThrow()
  expect(() => requireSpace('/home/svc.db', 300_000_000, 599_000_000)).toThrow(
    '/home/svc.db needs an upgrade of its tables, which takes 600 MB on its disk, but only 599 MB are free.',
  )
})
