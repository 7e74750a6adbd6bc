import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The approval queue (specification, "Pending order"). Times are UTC milliseconds beside the IST text shown.
 * Ids are never used twice, not even after a deletion and a restart: a screen that still shows a deleted row
 * must not approve another one.
 */
export const pendingOrders = sqliteTable(
  'pending_orders',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    userId: text('user_id', { length: 255 }).notNull(),
    operation: text('api_type', { length: 50 }).notNull(),
    /** The request as JSON, without its API key. */
    orderData: text('order_data').notNull(),
    createdAt: integer('created_at').notNull(),
    createdAtIst: text('created_at_ist', { length: 50 }).notNull(),
    status: text({ length: 20, enum: ['pending', 'approved', 'rejected'] }).notNull(),
    approvedAt: integer('approved_at'),
    approvedAtIst: text('approved_at_ist', { length: 50 }),
    approvedBy: text('approved_by', { length: 255 }),
    rejectedAt: integer('rejected_at'),
    rejectedAtIst: text('rejected_at_ist', { length: 50 }),
    rejectedBy: text('rejected_by', { length: 255 }),
    rejectedReason: text('rejected_reason'),
    brokerOrderId: text('broker_order_id', { length: 255 }),
    brokerStatus: text('broker_status', { length: 20, enum: ['complete', 'open', 'rejected'] }),
    /** BUY or SELL where the whole request goes one way; what the statistics count. */
    side: text({ length: 4, enum: ['BUY', 'SELL'] }),
    /** Last price when it was queued, in ten-thousandths of a rupee. */
    createdLtp: integer('created_ltp'),
    /** The same of a request about several instruments: a JSON object by `EXCHANGE:SYMBOL`. */
    createdPrices: text('created_prices'),
    /** Where orders went when it was queued; null for rows older than this column. */
    queuedMode: text('queued_mode', { length: 10, enum: ['live', 'analyze'] }),
    expiresAt: integer('expires_at'),
    /** How far the execution of an approved row got; null while there is nothing to execute. */
    execution: text({ length: 20, enum: ['executing', 'in_doubt', 'done', 'failed'] }),
    /** The journal's name for the execution. */
    executionRef: text('execution_ref', { length: 64 }),
    executionError: text('execution_error'),
  },
  (table) => [
    index('pending_orders_user_status').on(table.userId, table.status),
    index('pending_orders_created_at').on(table.createdAt),
    // Both hold only the few rows they are about, so that they cost the queue nothing.
    index('pending_orders_expiring')
      .on(table.expiresAt)
      .where(sql`status = 'pending' and expires_at is not null`),
    index('pending_orders_unsettled').on(table.execution).where(sql`execution in ('executing', 'in_doubt')`),
  ],
)
