import { drizzle, type SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import type { Row, SqliteConnection, SqlValue } from './sqlite.js'

/** Drizzle over one of our connections. */
export type Db = SqliteRemoteDatabase<Record<string, never>>

/** Returns the connection for the next statement. A pool may return a different one each time. */
type Connection = () => Pick<SqliteConnection, 'run' | 'all'>

/**
 * Returns drizzle over a connection. Drizzle maps columns by position, but `sqlite3` returns rows as objects,
 * in which two columns of the same name become one and shift the rest. In a subquery SQLite renames the
 * second one to `id:1`, so every SELECT is wrapped in one.
 */
export function drizzleOver(connection: Connection): Db {
  return drizzle(async (sql, params, method) => {
    const values = params as SqlValue[]
    if (method === 'run') {
      const { changes } = await connection().run(sql, values)
      return { rows: [], changes }
    }
    const rows = (await connection().all(isQuery(sql) ? `select * from (${sql})` : sql, values)).map(
      columnValues,
    )
    // `get` returns one row or none; drizzle accepts undefined here although its type asks for an array.
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
}

function isQuery(sql: string): boolean {
  return /^\s*(select|with)\b/i.test(sql)
}

function columnValues(row: Row): unknown[] {
  return Object.values(row)
}
