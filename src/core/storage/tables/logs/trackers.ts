import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Requests for paths that do not exist, by client, in a window of 24 hours. */
export const error404Tracker = sqliteTable(
  'error_404_tracker',
  {
    ipAddress: text('ip_address', { length: 50 }).primaryKey(),
    errorCount: integer('error_count').notNull(),
    firstErrorAt: integer('first_error_at').notNull(),
    lastErrorAt: integer('last_error_at').notNull(),
    /** JSON: the newest distinct paths. */
    pathsAttempted: text('paths_attempted', { mode: 'json' }).$type<string[]>().notNull(),
  },
  (table) => [index('error_404_tracker_first').on(table.firstErrorAt)],
)

/** Invalid API keys, by client, in a window of 24 hours. The keys are stored as digests only. */
export const invalidApiKeyTracker = sqliteTable(
  'invalid_api_key_tracker',
  {
    ipAddress: text('ip_address', { length: 50 }).primaryKey(),
    attemptCount: integer('attempt_count').notNull(),
    firstAttemptAt: integer('first_attempt_at').notNull(),
    lastAttemptAt: integer('last_attempt_at').notNull(),
    /** JSON: the first 16 digits of the SHA-256 of the newest distinct keys. */
    apiKeysTried: text('api_keys_tried', { mode: 'json' }).$type<string[]>().notNull(),
  },
  (table) => [index('invalid_api_key_tracker_first').on(table.firstAttemptAt)],
)
