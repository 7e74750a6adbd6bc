import { index, integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Latency of order requests, and the part of it that the broker took. */
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
  },
  (table) => [index('order_latency_timestamp').on(table.timestamp)],
)
