import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A row whose request was refused or failed. SQLite uses the partial indexes only for the same condition. */
export const IS_REFUSED =
  "iif(json_valid(response_data), json_extract(response_data, '$.status'), null) = 'error'"

/** Requests and responses of live orders, without credentials. */
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
  (table) => [
    index('order_logs_created_at').on(table.createdAt),
    index('order_logs_refused').on(table.createdAt).where(sql.raw(IS_REFUSED)),
  ],
)

/** Requests and responses of orders in Analyzer mode. */
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
  (table) => [
    index('analyzer_logs_created_at').on(table.createdAt),
    index('analyzer_logs_refused').on(table.createdAt).where(sql.raw(IS_REFUSED)),
  ],
)
