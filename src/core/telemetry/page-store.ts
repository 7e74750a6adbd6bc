import { gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { LogPage, LogPosition } from './page.js'

type LogTable = SQLiteTable & { id: SQLiteColumn; timestamp: SQLiteColumn }

/** Returns the conditions of a page. */
export function inPage(table: LogTable, page: LogPage): (SQL | undefined)[] {
  const { after, before, since, until } = page
  const { id, timestamp } = table
  return [
    since === undefined ? undefined : gte(timestamp, since),
    until === undefined ? undefined : lt(timestamp, until),
    after === undefined ? undefined : gt(id, after),
    before === undefined ? undefined : olderThan(table, before),
  ]
}

function olderThan({ id, timestamp }: LogTable, before: LogPosition): SQL {
  return sql`(${timestamp}, ${id}) < (${before.timestamp}, ${before.id})`
}
