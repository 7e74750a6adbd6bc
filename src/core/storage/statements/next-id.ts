import type { Database } from '../database.js'

/**
 * Returns the id after every one that a table has given, also to rows that are gone. The owner of the table counts on from
 * it in memory, so that a row has its id before it is stored.
 * @param table with an `autoincrement` id
 */
export async function nextIdIn(db: Database, table: string): Promise<number> {
  const [row] = await db.queryRaw(
    `select max((select coalesce(max(id), 0) from "${table}"),
      (select coalesce(max(seq), 0) from sqlite_sequence where name = ?)) as last`,
    [table],
  )
  return Number(row?.last ?? 0) + 1
}
