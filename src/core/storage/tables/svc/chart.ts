import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Chart settings of a user, one row per key. A value that is not text is stored as JSON. */
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
