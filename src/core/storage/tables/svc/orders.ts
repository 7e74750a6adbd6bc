import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Every live order, and every approved one, from before it is sent until its end. The reference is ours, is
 * stored before a socket is used and travels to the broker as its tag.
 */
export const orderJournal = sqliteTable(
  'order_journal',
  {
    orderRef: text('order_ref').primaryKey(),
    userId: text('user_id').notNull(),
    operation: text('api_type').notNull(),
    /** Where it came from: api, approval, flow, strategy. */
    source: text().notNull(),
    mode: text().notNull(),
    broker: text().notNull(),
    state: text().notNull(),
    symbol: text().notNull(),
    exchange: text().notNull(),
    action: text().notNull(),
    quantity: text().notNull(),
    product: text().notNull(),
    /** The request as JSON, without its credential. */
    request: text().notNull(),
    orderId: text('order_id'),
    approvalId: integer('approval_id'),
    /** The request of several orders this one belongs to, and its place in the order of sending. */
    batchRef: text('batch_ref'),
    leg: integer(),
    reason: text(),
    /**
     * How its caller is answered, as JSON of status, code and body; null while no answer of it is certain. It stays
     * whatever becomes of the order.
     */
    answer: text(),
    /** Searches at the broker since the outcome became unknown. */
    lookups: integer().notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('order_journal_state').on(table.state, table.createdAt),
    index('order_journal_user').on(table.userId, table.createdAt),
    index('order_journal_order').on(table.orderId),
    index('order_journal_approval').on(table.approvalId),
    index('order_journal_batch').on(table.batchRef, table.leg),
  ],
)

/**
 * Requests that become several orders (baskets, splits, option strategies), or one that had to be worked out
 * first. Stored with their orders before the first is sent, so that what became of each can always be told.
 */
export const orderBatches = sqliteTable('order_batches', {
  batchRef: text('batch_ref').primaryKey(),
  userId: text('user_id').notNull(),
  operation: text('api_type').notNull(),
  source: text().notNull(),
  mode: text().notNull(),
  approvalId: integer('approval_id'),
  /** The orders, their pacing and what the answer shows of each, as JSON; null until they are worked out. */
  plan: text(),
  createdAt: integer('created_at').notNull(),
})

/** The audit of the journal: one row for each change of state, written with it. */
export const orderEvents = sqliteTable(
  'order_events',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    orderRef: text('order_ref').notNull(),
    at: integer().notNull(),
    fromState: text('from_state'),
    toState: text('to_state').notNull(),
    detail: text(),
  },
  (table) => [index('order_events_ref').on(table.orderRef, table.id)],
)

/** Answers kept for 24 hours under the caller's own key, so that a retry repeats the answer and not the order. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    userId: text('user_id').notNull(),
    key: text().notNull(),
    /** SHA-256 of the request: the same key with another request is a conflict. */
    requestHash: text('request_hash').notNull(),
    mode: text().notNull(),
    /** The order this key stands for: journal reference, sandbox order id, or null for a queued one. */
    orderRef: text('order_ref'),
    status: integer(),
    body: text(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index('idempotency_keys_ref').on(table.orderRef),
    index('idempotency_keys_created').on(table.createdAt),
  ],
)
