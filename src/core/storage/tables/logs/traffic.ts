import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Every request to the daemon, without its credentials. */
export const trafficLogs = sqliteTable(
  'traffic_logs',
  {
    id: integer().primaryKey(),
    /** When the request ended. */
    timestamp: integer().notNull(),
    clientIp: text('client_ip', { length: 50 }).notNull(),
    method: text({ length: 10 }).notNull(),
    path: text({ length: 500 }).notNull(),
    statusCode: integer('status_code').notNull(),
    durationMs: real('duration_ms').notNull(),
    host: text({ length: 500 }),
    error: text({ length: 500 }),
    userId: text('user_id', { length: 255 }),
  },
  (table) => [
    index('traffic_logs_timestamp').on(table.timestamp),
    index('traffic_logs_client').on(table.clientIp, table.timestamp),
    index('traffic_logs_errors').on(table.timestamp).where(sql`status_code >= 400`),
  ],
)

/**
 * The number of requests of each IST day and kind, so that statistics need no scan of the requests. One
 * transaction writes the requests and adds them here.
 */
export const trafficTotals = sqliteTable(
  'traffic_totals',
  {
    /** Days since the epoch, in IST. */
    day: integer().notNull(),
    /** The endpoint, `api` for another path of `/api/v1`, empty for any other path. */
    kind: text().notNull(),
    total: integer().notNull(),
    errors: integer().notNull(),
    durationMs: real('duration_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.kind] })],
)
