import { sql } from 'drizzle-orm'
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

const STATUSES = { enum: ['pass', 'warn', 'fail'] } as const

/** A sample of the daemon's own process. A number that the operating system does not give is null. */
export const healthMetrics = sqliteTable(
  'health_metrics',
  {
    id: integer().primaryKey(),
    timestamp: integer().notNull(),
    fdCount: integer('fd_count'),
    fdLimit: integer('fd_limit'),
    fdUsagePercent: real('fd_usage_percent'),
    fdAvailable: integer('fd_available'),
    fdStatus: text('fd_status', STATUSES).notNull(),
    memoryRssMb: real('memory_rss_mb').notNull(),
    memoryVmsMb: real('memory_vms_mb'),
    memoryPercent: real('memory_percent').notNull(),
    memoryAvailableMb: real('memory_available_mb').notNull(),
    memorySwapMb: real('memory_swap_mb'),
    memoryStatus: text('memory_status', STATUSES).notNull(),
    dbConnectionsTotal: integer('db_connections_total').notNull(),
    dbConnections: text('db_connections', { mode: 'json' }).$type<Record<string, number>>().notNull(),
    dbStatus: text('db_status', STATUSES).notNull(),
    wsConnectionsTotal: integer('ws_connections_total').notNull(),
    wsConnections: text('ws_connections', { mode: 'json' }).$type<Record<string, number>>().notNull(),
    wsTotalSymbols: integer('ws_total_symbols').notNull(),
    wsStatus: text('ws_status', STATUSES).notNull(),
    threadCount: integer('thread_count'),
    stuckThreads: integer('stuck_threads').notNull(),
    threadStatus: text('thread_status', STATUSES).notNull(),
    overallStatus: text('overall_status', STATUSES).notNull(),
  },
  (table) => [index('health_metrics_timestamp').on(table.timestamp)],
)

/** A threshold that a sample crossed. It stays open until a person or a later sample resolves it. */
export const healthAlerts = sqliteTable(
  'health_alerts',
  {
    id: integer().primaryKey(),
    timestamp: integer().notNull(),
    alertType: text('alert_type').notNull(),
    severity: text({ enum: ['warn', 'fail'] }).notNull(),
    metricName: text('metric_name').notNull(),
    metricValue: real('metric_value').notNull(),
    thresholdValue: real('threshold_value').notNull(),
    message: text().notNull(),
    acknowledgedAt: integer('acknowledged_at'),
    resolvedAt: integer('resolved_at'),
  },
  (table) => [
    // At most one open alert of a type, whatever else happens.
    uniqueIndex('health_alerts_open').on(table.alertType).where(sql`resolved_at is null`),
  ],
)
