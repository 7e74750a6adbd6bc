import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

/** One row: the number up to which events are numbered. After a restart the numbers continue above it. */
export const eventNumbers = sqliteTable('event_numbers', {
  id: integer().primaryKey(),
  reserved: integer().notNull(),
})
