import { existsSync, renameSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { messageOf } from '../../errors/index.js'
import { SqliteConnection } from '../sqlite.js'

/**
 * Largest file in bytes that is checked completely, which takes about a second per 300 MiB. Of a larger file
 * only the beginning is read.
 */
const FULL_CHECK_LIMIT = 1024 * 1024 * 1024

const DAMAGE = /SQLITE_(CORRUPT|NOTADB)/

/** Returns whether an error of SQLite says that the file is damaged or not a database. */
export function isDamage(error: unknown): boolean {
  if (DAMAGE.test(messageOf(error))) return true
  return error instanceof Error && error.cause !== undefined && isDamage(error.cause)
}

/** Returns SQLite's description of the damage of a file; undefined if the file is sound or does not exist. */
export async function damageOf(file: string): Promise<string | undefined> {
  const folder = ['', '-wal', '-shm'].map((part) => file + part).find(isFolder)
  if (folder !== undefined) return `${basename(folder)} is a folder, but it must be a file`
  if (!existsSync(file)) return undefined
  const connection = await SqliteConnection.openPlain(file)
  try {
    const isLarge = statSync(file).size > FULL_CHECK_LIMIT
    const check = isLarge
      ? `select 'ok' as found from (select count(*) from sqlite_schema)`
      : 'pragma quick_check(1)'
    const [row] = await connection.all(check)
    const found = String(Object.values(row ?? {})[0])
    return found === 'ok' ? undefined : found.replaceAll(/\s+/g, ' ')
  } catch (error) {
    if (isDamage(error)) return messageOf(error)
    throw error
  } finally {
    await connection.close()
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Returns whether an existing database has no tables. */
export async function isEmptyDatabase(file: string): Promise<boolean> {
  const connection = await SqliteConnection.openPlain(file)
  try {
    return (await connection.all('select 1 from sqlite_schema limit 1')).length === 0
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  } finally {
    await connection.close()
  }
}

/** Renames a damaged file and its WAL files, so that a new one can replace it. @returns its new path */
export function setAside(file: string, suffix: string): string {
  for (const part of ['', '-wal', '-shm']) {
    if (existsSync(file + part)) renameSync(file + part, `${file}.${suffix}${part}`)
  }
  return `${file}.${suffix}`
}
