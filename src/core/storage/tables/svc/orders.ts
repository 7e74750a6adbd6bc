import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { OrderState } from '../../../orders/schema.js'
import type { TradingMode } from '../../../trading/index.js'

/** The rows that ended without the word of their broker, which may still show them later. A query names it in these words. */
export const UNPROVEN = `(state = 'lapsed' or settled_by in ('not_shown', 'person'))`

/**
 * The journal of live orders, from before they are sent until they end. An order of Analyzer mode is a row of
 * the sandbox alone. `order_ref` is our own reference. It is stored before a request leaves the process and
 * goes to the broker as the order's tag.
 */
export const orderJournal = sqliteTable(
  'order_journal',
  {
    orderRef: text('order_ref').primaryKey(),
    userId: text('user_id').notNull(),
    operation: text('api_type').notNull(),
    /** The origin of the order: api, approval, flow, strategy. */
    source: text().notNull(),
    mode: text().$type<TradingMode>().notNull(),
    broker: text().notNull(),
    state: text().$type<OrderState>().notNull(),
    symbol: text().notNull(),
    exchange: text().notNull(),
    action: text().notNull(),
    quantity: text().notNull(),
    product: text().notNull(),
    /** The strategy tag of the order. */
    strategy: text().notNull().default(''),
    /** The request as JSON, without its credential. */
    request: text().notNull(),
    /** The broker's id of the order. A GTT has none until it fires; then it is the id of the order it sent. */
    orderId: text('order_id'),
    /** The broker's id of a GTT; null for an order. */
    triggerId: text('trigger_id'),
    approvalId: integer('approval_id'),
    /** The batch the order belongs to; `leg` is its position in the order of sending. */
    batchRef: text('batch_ref'),
    leg: integer(),
    /** The reason of its rejection, for people. Code reads {@link endCause}. */
    reason: text(),
    /** The cause of its rejection, for code; null in every other state. */
    endCause: text('end_cause', {
      enum: ['stopped', 'not_sent', 'refused', 'exchange', 'not_received', 'settled'],
    }),
    /**
     * The end of the execution of the order, as JSON; null until the end is certain. Later changes of the
     * order do not change it.
     */
    answer: text(),
    /** Searches at the broker since the outcome became unknown. */
    lookups: integer().notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** The account at the broker it was sent from; null if the broker names none, and for orders of earlier versions. */
    account: text(),
    /**
     * What ended a doubt: our tag in the broker's book, the only order there with its content (`matched`), readings after the
     * close without it (`not_shown`), or a person. Null if it never was in doubt, or an update of the broker ended it.
     */
    settledBy: text('settled_by', { enum: ['tag', 'matched', 'not_shown', 'person'] }),
    /** The algorithm of its strategy that it was sent under. Null without one, and for an order that names its own. */
    algoId: text('algo_id'),
    /**
     * The price types that the order may have since it was changed here, separated by spaces: one, or more while a change is on
     * its way or in doubt. Null if it has the type that it was placed with.
     */
    priceTypes: text('price_types'),
  },
  (table) => [
    // The state comes first: recovery reads all users, and a user's list of one state must not read the others.
    index('order_journal_page').on(table.state, table.userId, table.createdAt),
    index('order_journal_user').on(table.userId, table.createdAt),
    // Few rows ended without the word of their broker, and many were rejected.
    index('order_journal_unproven').on(table.broker, table.updatedAt).where(sql.raw(UNPROVEN)),
    // A broker may give an order and a GTT the same number.
    uniqueIndex('order_journal_broker_order')
      .on(table.broker, table.orderId)
      .where(sql`order_id is not null`),
    uniqueIndex('order_journal_broker_trigger')
      .on(table.broker, table.triggerId)
      .where(sql`trigger_id is not null`),
    index('order_journal_strategy').on(table.userId, table.strategy, table.state, table.createdAt),
    index('order_journal_approval').on(table.approvalId),
    index('order_journal_batch').on(table.batchRef, table.leg),
  ],
)

/**
 * Requests that become several orders (baskets, splits, option strategies), and requests whose order must be
 * computed first. They are stored with their orders before the first one is sent, so that the result of each
 * order is always known.
 */
export const orderBatches = sqliteTable('order_batches', {
  batchRef: text('batch_ref').primaryKey(),
  userId: text('user_id').notNull(),
  operation: text('api_type').notNull(),
  source: text().notNull(),
  mode: text().notNull(),
  approvalId: integer('approval_id'),
  /**
   * The orders, their pacing and the fields the answer shows of each, as JSON; null until they are computed.
   */
  plan: text(),
  createdAt: integer('created_at').notNull(),
})

/**
 * Fills of orders: one row for each larger total the broker reported, with the average price so far. The row
 * with the largest quantity is the current fill. Rows are only ever added, so that totals can be kept up to
 * an `id`.
 */
export const orderFills = sqliteTable(
  'order_fills',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    orderRef: text('order_ref').notNull(),
    quantity: real().notNull(),
    price: real().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    uniqueIndex('order_fills_order').on(table.orderRef, table.quantity),
    index('order_fills_at').on(table.at),
  ],
)

/** The audit trail of the journal: one row per change of state, in the transaction of the change. */
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
  (table) => [
    index('order_events_ref').on(table.orderRef, table.id),
    // The history reads the few orders of GTTs by the time at which they fired.
    index('order_events_triggered').on(table.at).where(sql`to_state = 'triggered'`),
  ],
)

/**
 * The readings of a broker's book, after the close of the session of an order in doubt, that did not show it. Enough of
 * them are the evidence that the broker never received it.
 */
export const orderAbsences = sqliteTable('order_absences', {
  orderRef: text('order_ref').primaryKey(),
  readings: integer().notNull(),
  firstAt: integer('first_at').notNull(),
  lastAt: integer('last_at').notNull(),
})

/** Orders and GTTs of the broker that an order in doubt may be, as the last reading showed them. A person decides. */
export const orderCandidates = sqliteTable(
  'order_candidates',
  {
    orderRef: text('order_ref').notNull(),
    /** The broker's id. */
    id: text().notNull(),
    status: text().notNull(),
    filled: real().notNull(),
    price: real().notNull(),
    /** When the broker took it; null if it does not tell. */
    placedAt: integer('placed_at'),
  },
  (table) => [primaryKey({ columns: [table.orderRef, table.id] })],
)

/**
 * Results by the caller's own idempotency key, kept for 24 hours, so that a retry repeats the answer and not
 * the order.
 */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    userId: text('user_id').notNull(),
    key: text().notNull(),
    /** SHA-256 of the request. The same key with another request is a conflict. */
    requestHash: text('request_hash').notNull(),
    mode: text().notNull(),
    /** The order of this key: a journal reference or a sandbox order id; null for a queued order. */
    orderRef: text('order_ref'),
    /** The result as JSON; null until it is certain. */
    body: text(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index('idempotency_keys_ref').on(table.orderRef),
    index('idempotency_keys_created').on(table.createdAt),
  ],
)

/** The risk limits a user has set. A rule without a row has its default. */
export const riskRules = sqliteTable('risk_rules', {
  rule: text().primaryKey(),
  /** JSON. */
  value: text().notNull(),
  updatedAt: integer('updated_at').notNull(),
  updatedBy: text('updated_by').notNull(),
})

/** The history of the kill switch, with author and reason. The newest row is the current state. */
export const killSwitch = sqliteTable('kill_switch', {
  id: integer().primaryKey({ autoIncrement: true }),
  on: integer({ mode: 'boolean' }).notNull(),
  reason: text().notNull(),
  at: integer().notNull(),
  by: text().notNull(),
})
