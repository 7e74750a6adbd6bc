import { existsSync, renameSync, statSync } from 'node:fs'
import { messageOf } from '../errors/index.js'
import { SqliteConnection } from './sqlite.js'

/** A check reads the whole file, about a second for each 300 MiB. Of a larger one only the beginning is looked at. */
const CHECKED_WHOLE = 1024 * 1024 * 1024

const DAMAGE = /SQLITE_(CORRUPT|NOTADB)/

/** Whether an error of SQLite says that the file is not what SQLite wrote. */
export function isDamage(error: unknown): boolean {
  if (DAMAGE.test(messageOf(error))) return true
  return error instanceof Error && error.cause !== undefined && isDamage(error.cause)
}

/** What SQLite finds wrong with a file, in its words; undefined when it is whole or not there. */
export async function damageOf(file: string): Promise<string | undefined> {
  if (!existsSync(file)) return undefined
  const connection = await SqliteConnection.openPlain(file)
  try {
    const isLarge = statSync(file).size > CHECKED_WHOLE
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

/** Renames a file, with what belongs to it, so that a fresh one can take its place. @returns its new path */
export function setAside(file: string, suffix: string): string {
  for (const part of ['', '-wal', '-shm']) {
    if (existsSync(file + part)) renameSync(file + part, `${file}.${suffix}${part}`)
  }
  return `${file}.${suffix}`
}
