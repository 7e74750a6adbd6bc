import { gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { ServiceError } from '../errors/index.js'

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
  /** The place of the last row of the page before this one. */
  before?: LogPosition | undefined
  /** The id of the newest row that the caller has: the page has the oldest rows after it. */
  after?: number | undefined
}

/** A page as a caller asks for it: the last row of the page before this one has only its id. */
export type LogPageRequest = Omit<LogPage, 'before'> & { before?: number | undefined }

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

/**
 * Finds the place of the row that a page follows. @throws ServiceError `validation` for an id that no row has: an
 * empty page would look like the end of the list
 */
export async function placeOf(
  id: number | undefined,
  read: (id: number) => Promise<LogPosition | undefined>,
): Promise<LogPosition | undefined> {
  if (id === undefined) return undefined
  const place = await read(id)
  if (!place) throw new ServiceError('validation', 'before: Must be the id of a row of this log.')
  return place
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
