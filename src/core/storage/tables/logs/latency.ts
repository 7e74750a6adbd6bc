import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * The types of requests that are orders. Their rows are kept forever, and only they count in the statistics. The
 * indexes below name them, so a change of this list needs a migration.
 */
export const ORDER_TYPES = [
  'PLACE',
  'SMART',
  'MODIFY',
  'CANCEL',
  'CLOSE',
  'CANCEL_ALL',
  'BASKET',
  'SPLIT',
  'OPTIONS',
  'OPTIONS_MULTI',
  'GTT_PLACE',
  'GTT_MODIFY',
  'GTT_CANCEL',
] as const

const LIST = ORDER_TYPES.map((type) => `'${type}'`).join(', ')
/** Conditions in SQL, as the partial indexes have them: SQLite uses an index only for the same condition. */
export const IS_ORDER = `order_type in (${LIST})`
export const IS_DATA_CALL = `order_type not in (${LIST})`

/** Latency of orders and of data calls, and the part of it that the broker took. */
export const orderLatency = sqliteTable(
  'order_latency',
  {
    id: integer().primaryKey(),
    timestamp: integer().notNull(),
    orderId: text('order_id', { length: 100 }).notNull(),
    userId: text('user_id', { length: 255 }),
    broker: text({ length: 50 }),
    symbol: text({ length: 50 }),
    orderType: text('order_type', { length: 20 }).notNull(),
    rttMs: real('rtt_ms').notNull(),
    validationLatencyMs: real('validation_latency_ms').notNull(),
    responseLatencyMs: real('response_latency_ms').notNull(),
    overheadMs: real('overhead_ms').notNull(),
    totalLatencyMs: real('total_latency_ms').notNull(),
    /** Always null: the order logs hold the bodies. */
    requestBody: text('request_body'),
    responseBody: text('response_body'),
    status: text({ length: 20 }).notNull(),
    error: text({ length: 500 }),
    /** How an order came: `api`, `approval`, `flow` or `strategy`. Null for data calls. */
    source: text({ length: 20 }),
  },
  (table) => [
    index('order_latency_timestamp').on(table.timestamp),
    // The statistics read only this index.
    index('order_latency_orders')
      .on(table.timestamp, table.broker, table.orderType, table.rttMs, table.totalLatencyMs)
      .where(sql.raw(IS_ORDER)),
    // For the purge, which must not read the orders.
    index('order_latency_data').on(table.timestamp).where(sql.raw(IS_DATA_CALL)),
  ],
)

/**
 * Sums over all orders of a broker and type, so that averages need no scan of the history. One transaction
 * writes the orders and adds them here.
 */
export const latencyTotals = sqliteTable(
  'latency_totals',
  {
    /** Empty if there was no broker. */
    broker: text().notNull(),
    orderType: text('order_type').notNull(),
    total: integer().notNull(),
    failed: integer().notNull(),
    sumRtt: real('sum_rtt').notNull(),
    sumOverhead: real('sum_overhead').notNull(),
    sumTotal: real('sum_total').notNull(),
    under100: integer('under_100').notNull(),
    under150: integer('under_150').notNull(),
    under200: integer('under_200').notNull(),
  },
  (table) => [primaryKey({ columns: [table.broker, table.orderType] })],
)
