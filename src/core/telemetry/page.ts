import { gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

/** The place of a row in its log. */
export interface LogPosition {
  id: number
  timestamp: number
}

/** The period and the place of a page of rows, newest first. */
export interface LogPage {
  limit: number
  /** Epoch milliseconds, inclusive. */
  since?: number | undefined
  /** Epoch milliseconds, exclusive. */
  until?: number | undefined
  /** The last row of the page before this one, or its id. */
  before?: number | LogPosition | undefined
  /** The id of the newest row that the caller has: the page has the oldest rows after it. */
  after?: number | undefined
}

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

function olderThan(table: LogTable, before: number | LogPosition): SQL {
  const { id, timestamp } = table
  if (typeof before === 'object') return sql`(${timestamp}, ${id}) < (${before.timestamp}, ${before.id})`
  return sql`(${timestamp}, ${id}) < (select timestamp, id from ${table} where id = ${before})`
}

/** Returns the condition that one of the columns contains a text, ignoring case. */
export function containing(search: string, columns: readonly SQLiteColumn[]): SQL {
  const texts = columns.map((column) => sql`coalesce(${column}, '')`)
  // A line break between the columns: no text that is found spans two of them.
  const all = sql.join(texts, sql` || char(10) || `)
  // SQLite's lower() changes ASCII letters only.
  const wanted = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return sql`instr(lower(${all}), ${wanted}) > 0`
}

/** Reads a whole log in pages, newest first, and holds one page in memory. */
export async function* pagesOf<Row extends LogPosition>(
  read: (before: LogPosition | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last: Row | undefined
  do {
    const rows: Row[] = await read(last)
    if (rows.length > 0) yield rows
    last = rows.at(-1)
  } while (last)
}
