import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

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
    /** The tag under which the order counts for a strategy. */
    strategy: text().notNull().default(''),
    /** The request as JSON, without its credential. */
    request: text().notNull(),
    orderId: text('order_id'),
    approvalId: integer('approval_id'),
    /** The request of several orders this one belongs to, and its place in the order of sending. */
    batchRef: text('batch_ref'),
    leg: integer(),
    /** Why it was rejected, for people. Code reads {@link endCause}. */
    reason: text(),
    /** Why it was rejected, for code; null in every other state. */
    endCause: text('end_cause', {
      enum: ['stopped', 'not_sent', 'refused', 'exchange', 'not_received', 'settled'],
    }),
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
    // Brokers number orders and triggers apart.
    uniqueIndex('order_journal_broker_order')
      .on(table.broker, table.orderId)
      .where(sql`order_id is not null and api_type <> 'placegttorder'`),
    uniqueIndex('order_journal_broker_trigger')
      .on(table.broker, table.orderId)
      .where(sql`order_id is not null and api_type = 'placegttorder'`),
    index('order_journal_strategy').on(table.userId, table.strategy, table.symbol),
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

/**
 * How far an order has filled: one row for each larger quantity the broker reported, with the average price so far.
 * The row with the largest quantity is the order's fill as it stands.
 */
export const orderFills = sqliteTable(
  'order_fills',
  {
    orderRef: text('order_ref').notNull(),
    quantity: real().notNull(),
    price: real().notNull(),
    at: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderRef, table.quantity] })],
)

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
