import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { expect, test } from 'vitest'
import { Database } from '../../../src/core/storage/index.js'
import { requireSpace } from '../../../src/core/storage/migrate.js'
import { sessionDate } from '../../../src/core/time/index.js'
import { execute } from '../../support/files/files.js'
import { tempDir } from '../../support/files/temp.js'

const FOLDER = fileURLToPath(new URL('../../../src/core/storage/migrations/sandbox', import.meta.url))
/** The number of migrations before the one that adds the opening of a session. */
const BEFORE_OPENING = 2

const OPENED = {
  BEFORE_ROLLOVER: Date.parse('2026-11-20T02:59:59+05:30'),
  AT_ROLLOVER: Date.parse('2026-11-20T03:00:00+05:30'),
  LATE: Date.parse('2026-11-20T23:59:59+05:30'),
}

const position = ([symbol, openedAt]: [string, number]) =>
  `insert into sandbox_positions values ('asha', '${symbol}', 'NSE', 'MIS', 10, 1000, 0, 0, 0, '', 1, 100, 0, ${openedAt}, 0)`

test('units opened before the upgrade count as units of the session in which they were opened', async () => {
  const file = join(tempDir(), 'sandbox.db')
  const applied = readMigrationFiles({ migrationsFolder: FOLDER }).slice(0, BEFORE_OPENING)
  const statements = [
    'create table __migrations (created_at integer primary key, hash text not null, applied_at integer not null)',
    ...applied.flatMap(({ sql }) => sql),
    ...applied.map(
      ({ folderMillis, hash }) => `insert into __migrations values (${folderMillis}, '${hash}', 0)`,
    ),
    ...Object.entries(OPENED).map(position),
  ]
  await execute(file, statements.join(';\n'))
  const begun: unknown[] = []
  const database = await Database.open({
    file,
    schema: 'sandbox',
    onMigrate: (pending) => begun.push(pending),
  })
  expect(begun, 'the start can say what takes its time').toEqual([
    { file, bytes: expect.any(Number), copy: expect.stringContaining(`${file}.before-`) },
  ])
  const rows = await database.queryRaw(
    'select symbol, opening_session, opening_quantity, opening_cost from sandbox_positions',
  )
  await database.close()
  const expected = Object.entries(OPENED).map(([symbol, openedAt]) => ({
    symbol,
    opening_session: sessionDate(openedAt),
    opening_quantity: 0,
    opening_cost: 0,
  }))
  expect(rows).toHaveLength(expected.length)
  expect(rows).toEqual(expect.arrayContaining(expected))
})

test('a disk without room for the copy and the log of a migration is named before anything is written', () => {
  expect(() => requireSpace('/home/svc.db', 300_000_000, 600_000_000)).not.toThrow()
  expect(() => requireSpace('/home/svc.db', 300_000_000, 599_000_000)).toThrow(
    '/home/svc.db needs an upgrade of its tables, which takes 600 MB on its disk, but only 599 MB are free.',
  )
})
