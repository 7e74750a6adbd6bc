import { existsSync, statSync } from 'node:fs'
import { readdir, rm, statfs } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { crashPoint } from '../errors/index.js'
import { SqliteConnection } from './sqlite.js'

export type SchemaName = 'svc' | 'sandbox' | 'logs'

const FOLDER = fileURLToPath(new URL('./migrations/', import.meta.url))
/** Follows the name of a file in that of its copy; then comes the number of the migration. */
const BEFORE = '.before-'
/** The table with the migrations that were applied to a file. */
export const LEDGER = '__migrations'

/**
 * Refuses a file that another version wrote and this one cannot read, without changing it.
 * @throws Error that names the file and what to do
 */
export async function refuseUnreadable(file: string, schema: SchemaName): Promise<void> {
  const problem = schemaProblem(schema, await newestMigration(file))
  if (problem !== undefined) throw new Error(`${file} ${problem}`)
}

/**
 * Returns the number of the newest migration that was applied to a file, without changing the file. 0 stands for a file that is
 * missing or has no migrations.
 */
export async function newestMigration(file: string): Promise<number> {
  if (!existsSync(file)) return 0
  const connection = await SqliteConnection.openPlain(file)
  try {
    const [ledger] = await connection.all(`select 1 from sqlite_schema where name = ?`, [LEDGER])
    if (!ledger) return 0
    const [row] = await connection.all(`select max(created_at) as newest from ${LEDGER}`)
    return Number(row?.newest ?? 0)
  } finally {
    await connection.close()
  }
}

export type Migration = ReturnType<typeof readMigrationFiles>[number]

/** The migrations of this version, which a process reads once. */
const known = new Map<SchemaName, Migration[]>()

/** Returns the migrations that a file of a schema follows, the oldest first. */
export function migrationsOf(schema: SchemaName): Migration[] {
  const migrations = known.get(schema) ?? readMigrationFiles({ migrationsFolder: `${FOLDER}${schema}` })
  known.set(schema, migrations)
  return migrations
}

/**
 * Returns why this version cannot read a file whose newest migration has a number, as a text that follows the name of
 * the file; undefined when it can. 0 stands for a file without tables.
 */
export function schemaProblem(schema: SchemaName, newest: number): string | undefined {
  const numbers = migrationsOf(schema).map(({ folderMillis }) => folderMillis)
  if (newest === 0 || numbers.includes(newest)) return undefined
  return newest > Math.max(...numbers)
    ? 'was written by a newer version of svc; start that version, or restore a backup'
    : 'was written before the first release of svc, and no release reads it; begin anew in another folder (--home), ' +
        'and keep this one until the orders and positions in it are settled'
}

/** A file that is about to be migrated, which may take seconds. */
export interface PendingMigration {
  file: string
  bytes: number
  /** The path of the copy of the file as it is before. */
  copy: string
}

/**
 * Applies the pending migrations of a file, all in one transaction: after a crash in the middle the file is
 * unchanged and the next start applies them again. Copies a file that holds data first.
 *
 * @param migrations all that this version knows, the oldest first
 * @param onBegin is called before a file that holds data is copied and migrated
 */
export async function migrate(
  connection: SqliteConnection,
  file: string,
  migrations: readonly Migration[],
  onBegin: (pending: PendingMigration) => void = () => undefined,
): Promise<void> {
  await connection.run(
    `create table if not exists ${LEDGER} (created_at integer primary key, hash text not null, applied_at integer not null)`,
  )
  const applied = new Set(
    (await connection.all(`select created_at from ${LEDGER}`)).map((row) => Number(row.created_at)),
  )
  const pending = migrations.filter((migration) => !applied.has(migration.folderMillis))
  const newest = pending.at(-1)?.folderMillis
  if (newest === undefined) return
  if (applied.size > 0) {
    const copy = `${file}${BEFORE}${newest}`
    // The copy of an earlier attempt gives its space back first.
    if (existsSync(copy)) await rm(copy)
    const bytes = statSync(file).size
    requireSpace(file, bytes, await freeBytes(file))
    onBegin({ file, bytes, copy })
    await connection.run('vacuum into ?', [copy])
  }
  await connection.run('begin immediate')
  try {
    // Foreign keys are checked at the commit: a migration that rebuilds a table drops the old one while other
    // tables still refer to it.
    await connection.run('pragma defer_foreign_keys = on')
    for (const migration of pending) {
      await connection.script(migration.sql.join('\n'))
      crashPoint('migrate.midStep')
      await connection.run(
        `insert into ${LEDGER} (created_at, hash, applied_at) values (?, ?, unixepoch() * 1000)`,
        [migration.folderMillis, migration.hash],
      )
    }
    await connection.run('commit')
  } catch (error) {
    await connection.run('rollback').catch(() => undefined)
    throw error
  }
}

/** The copies of a file that stay, the newest ones: the fault of a migration may show only after the next one. */
const KEPT_COPIES = 2

/**
 * Removes the copies that {@link migrate} made of a file, except those from before its last two migrations.
 * @returns the paths of those that it removed
 */
export async function removeOldCopies(file: string): Promise<string[]> {
  const prefix = `${basename(file)}${BEFORE}`
  const numbers = (await readdir(dirname(file)))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
  const old = numbers.sort((one, other) => other - one).slice(KEPT_COPIES)
  const copies = old.map((number) => `${file}${BEFORE}${number}`)
  for (const copy of copies) await rm(copy, { force: true })
  return copies
}

/** Returns the bytes that this user may still write to the disk of a file. */
export async function freeBytes(file: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file))
  return bavail * bsize
}

/**
 * Refuses a migration that the disk cannot hold. The copy and the write-ahead log of the migration may each become as
 * large as the file.
 *
 * @throws Error that names the file and both sizes
 */
export function requireSpace(file: string, bytes: number, free: number): void {
  const needed = 2 * bytes
  if (free >= needed) return
  throw new Error(
    `${file} needs an upgrade of its tables, which takes ${inMegabytes(needed)} on its disk, but only ` +
      `${inMegabytes(free)} are free. The file is unchanged: free some space, then start again.`,
  )
}

const inMegabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000)} MB`
