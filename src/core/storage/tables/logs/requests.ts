import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A request for orders that became none. SQLite uses the partial index only for the same condition. */
export const BECAME_NOTHING = 'code is not null and subject is null and request is not null'

/**
 * What became of a request, by its id: the requests to place or change orders, and those that were refused. A request that
 * became several orders has a row for each. A refusal stores nothing else, so its request is kept here, without credentials.
 */
export const requestTrail = sqliteTable(
  'request_trail',
  {
    id: integer().primaryKey(),
    requestId: text('request_id', { length: 64 }).notNull(),
    /** When it arrived, in UTC ms. */
    at: integer().notNull(),
    method: text({ length: 10 }).notNull(),
    path: text({ length: 500 }).notNull(),
    statusCode: integer('status_code').notNull(),
    /** The error code of a refusal; null for a success. */
    code: text({ length: 50 }),
    /** The rule that refused it, if one did. */
    rule: text({ length: 50 }),
    message: text({ length: 500 }),
    userId: text('user_id', { length: 255 }),
    clientIp: text('client_ip', { length: 50 }).notNull(),
    mode: text({ enum: ['live', 'analyze'] }),
    /** The order: our reference, or the id of the simulated account. Null if there is none. */
    subject: text({ length: 100 }),
    approvalId: integer('approval_id'),
    /** The caller's own key: client_order_id, or Idempotency-Key. */
    callerKey: text('caller_key', { length: 255 }),
    /** The request of a refusal as JSON. */
    request: text(),
  },
  (table) => [
    index('request_trail_request').on(table.requestId),
    index('request_trail_refused').on(table.userId, table.at).where(sql.raw(BECAME_NOTHING)),
    index('request_trail_at').on(table.at),
    index('request_trail_subject').on(table.subject).where(sql`subject is not null`),
    index('request_trail_approval').on(table.approvalId).where(sql`approval_id is not null`),
    index('request_trail_key').on(table.callerKey).where(sql`caller_key is not null`),
  ],
)
