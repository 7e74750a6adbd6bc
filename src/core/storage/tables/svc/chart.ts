import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What a user's charts are set to: a text a key, JSON where it was no text. */
export const chartPreferences = sqliteTable(
  'chart_preferences',
  {
    userId: text('user_id').notNull(),
    key: text().notNull(),
    value: text().notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.key] })],
)
