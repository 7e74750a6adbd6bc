import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The last accepted delivery of each action and mode to a batch strategy. For a minute the next one is a duplicate. */
export const strategyWebhookClaims = sqliteTable(
  'strategy_webhook_claims',
  {
    strategyId: integer('strategy_id').notNull(),
    action: text().notNull(),
    /** Empty for a stop. */
    mode: text().notNull(),
    /** The row of the delivery in the audit. The run that it started names it, too. */
    eventId: integer('event_id').notNull(),
    claimedAt: integer('claimed_at').notNull(),
    /** True once the engine has acted. After a crash, a claim without it may belong to a delivery without effect. */
    isSettled: integer('settled', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.strategyId, table.action, table.mode] })],
)
