import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Action } from '../../../orders/schema.js'

/**
 * The approval queue. Times are UTC milliseconds, with the displayed IST text beside them. Ids are never
 * reused, not even after a deletion and a restart: a screen that still shows a deleted row must not approve
 * another one.
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
    /** BUY or SELL if all orders of the request have the same side; the statistics count it. */
    side: text({ length: 4 }).$type<Action>(),
    /** Last price when the request was queued, in ten-thousandths of a rupee. */
    createdLtp: integer('created_ltp'),
    /** Last prices of a request with several instruments: a JSON object by `EXCHANGE:SYMBOL`. */
    createdPrices: text('created_prices'),
    /** The trading mode when the request was queued; null for rows older than this column. */
    queuedMode: text('queued_mode', { length: 10, enum: ['live', 'analyze'] }),
    expiresAt: integer('expires_at'),
    /** Progress of the execution of an approved row; null before the approval. */
    execution: text({ length: 20, enum: ['executing', 'in_doubt', 'done', 'partial', 'failed'] }),
    /** The journal reference of the execution. A strategy chooses it when it queues its order. */
    executionRef: text('execution_ref', { length: 64 }),
    executionError: text('execution_error'),
    /** The broker of the run whose order it is; null for all other requests, which go to the active broker. */
    broker: text({ length: 50 }),
  },
  (table) => [
    // A page reads a status by id. It skips the rows outside its period in the index alone.
    index('pending_orders_page').on(table.userId, table.status, table.id, table.createdAt),
    index('pending_orders_created_at').on(table.createdAt),
    // Small partial indexes, so that they cost the queue almost nothing.
    index('pending_orders_expiring')
      .on(table.expiresAt)
      .where(sql`status = 'pending' and expires_at is not null`),
    index('pending_orders_ref').on(table.executionRef).where(sql`execution_ref is not null`),
    index('pending_orders_unsettled').on(table.execution).where(sql`execution in ('executing', 'in_doubt')`),
  ],
)
