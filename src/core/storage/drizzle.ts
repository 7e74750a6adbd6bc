import { drizzle, type SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import type { Row, SqliteConnection, SqlValue } from './sqlite.js'

/** Drizzle over one of our connections. */
export type Db = SqliteRemoteDatabase<Record<string, never>>

/** Gives the connection to use for the next statement (a pool may give another one each time). */
type Connection = () => SqliteConnection

/**
 * Drizzle maps columns by position, `sqlite3` gives rows as objects: two columns of one name would collapse
 * into one and shift the rest. In a subquery SQLite renames the second to `id:1`, so every SELECT is wrapped.
 */
export function drizzleOver(connection: Connection): Db {
  return drizzle(async (sql, params, method) => {
    const values = params as SqlValue[]
    if (method === 'run') {
      const { changes } = await connection().run(sql, values)
      return { rows: [], changes }
    }
    const rows = (await connection().all(isQuery(sql) ? `select * from (${sql})` : sql, values)).map(valuesOf)
    // `get` answers one row or none; drizzle's type asks for an array where it accepts undefined.
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
}

function isQuery(sql: string): boolean {
  return /^\s*(select|with)\b/i.test(sql)
}

function valuesOf(row: Row): unknown[] {
  return Object.values(row)
}
