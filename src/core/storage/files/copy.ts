import { existsSync } from 'node:fs'
import { messageOf, ServiceError } from '../../errors/index.js'
import { type Db, drizzleOver } from '../drizzle.js'
import { SqliteConnection } from '../sqlite.js'
import { isDamage } from './integrity.js'

/** A database file that no service writes, such as a backup. */
export interface DatabaseCopy {
  readonly read: Db
  close(): Promise<void>
}

/**
 * Opens a copy of a database for queries only.
 * @param table a table that it must have
 * @throws ServiceError `not_found` if the file does not exist, `refused` if it is not a database with the table
 */
export async function openCopy(file: string, table: string): Promise<DatabaseCopy> {
  if (!existsSync(file)) throw new ServiceError('not_found', `${file} does not exist`)
  const connection = await SqliteConnection.openPlain(file)
  try {
    await connection.script('pragma query_only = on')
    const found = await connection.all('select 1 from sqlite_schema where name = ?', [table])
    if (found.length === 0) throw new ServiceError('refused', `${file} has no table ${table}`)
  } catch (error) {
    await connection.close()
    if (isDamage(error)) throw new ServiceError('refused', `${file} is damaged: ${messageOf(error)}`)
    throw error
  }
  return { read: drizzleOver(() => connection), close: () => connection.close() }
}
