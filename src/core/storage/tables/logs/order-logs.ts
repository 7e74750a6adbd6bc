import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** What orders were sent and answered, live (specification, "Order log"). Without credentials. */
export const orderLogs = sqliteTable(
  'order_logs',
  {
    id: integer().primaryKey(),
    apiType: text('api_type').notNull(),
    /** JSON. */
    requestData: text('request_data').notNull(),
    /** JSON. */
    responseData: text('response_data').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('order_logs_created_at').on(table.createdAt)],
)

/** The same for orders answered by the sandbox. */
export const analyzerLogs = sqliteTable(
  'analyzer_logs',
  {
    id: integer().primaryKey(),
    apiType: text('api_type', { length: 50 }).notNull(),
    /** JSON. */
    requestData: text('request_data').notNull(),
    /** JSON. */
    responseData: text('response_data').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('analyzer_logs_created_at').on(table.createdAt)],
)
