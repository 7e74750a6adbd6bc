import { or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** The characters that `like` reads as wildcards, and the one that takes this meaning from them. */
const SPECIAL = /[\\%_]/g

/**
 * Returns the condition that one of the columns contains a text, ignoring the case of ASCII letters. `like` compares
 * in place; `instr(lower(…))` copies each column of each row first and takes twice as long.
 */
export function containing(search: string, columns: readonly SQLiteColumn[]): SQL | undefined {
  // `like` ends its pattern at a NUL, so it would find every row.
  if (search.includes('\0')) return sql`false`
  const pattern = `%${search.replace(SPECIAL, '\\$&')}%`
  return or(...columns.map((column) => sql`${column} like ${pattern} escape '\\'`))
}
