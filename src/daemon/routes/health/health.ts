import { ServiceError } from '../../../core/errors/index.js'
import type { HealthAlert, HealthMonitor, HealthRow } from '../../../core/health/index.js'
import { istDayFirst } from '../../../core/time/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { healthExportQuery } from '../../operations/health/payloads.js'
import { type CsvColumns, sendCsv } from '../logs/csv-file.js'
import { checkOf } from './check.js'
import { statisticsOf } from './statistics.js'

const DEFAULT_HOURS = 24
/** Ids of alerts are small; a longer text is no id. */
const ID = /^[1-9]\d{0,14}$/

const COLUMNS: CsvColumns<HealthRow> = [
  ['Date & Time (IST)', ({ timestamp }) => istDayFirst(timestamp)],
  ['FD Count', ({ fdCount }) => fdCount],
  ['FD Limit', ({ fdLimit }) => fdLimit],
  ['FD Status', ({ fdStatus }) => fdStatus],
  ['Memory (MB)', ({ memoryRssMb }) => memoryRssMb],
  ['Memory Status', ({ memoryStatus }) => memoryStatus],
  ['DB Connections', ({ dbConnectionsTotal }) => dbConnectionsTotal],
  ['DB Status', ({ dbStatus }) => dbStatus],
  ['WebSocket Connections', ({ wsConnectionsTotal }) => wsConnectionsTotal],
  ['WS Status', ({ wsStatus }) => wsStatus],
  ['Threads', ({ threadCount }) => threadCount],
  ['Thread Status', ({ threadStatus }) => threadStatus],
  ['Overall Status', ({ overallStatus }) => overallStatus],
]

interface HealthParts {
  health: HealthMonitor
  ready(): boolean
  /** Returns whether the market trades and its feed sends nothing. */
  isFeedLost(): boolean
}

/** Returns the handlers of the health samples and their alerts. */
export function healthSampleHandlers({ health, isFeedLost, ready }: HealthParts) {
  return {
    // The status follows from the checks.
    'GET /health/check': httpHandler(async (c) => {
      const [probes, sample] = await Promise.all([health.probeAll(), health.current()])
      const check = checkOf({ probes, sample, ready: ready(), isFeedLost: isFeedLost() })
      return c.json(check, check.status === 'fail' ? 503 : 200)
    }),
    'GET /health/api/current': async () => {
      const sample = await health.current()
      if (!sample) throw missing('No metrics available')
      return currentView(sample)
    },
    'GET /health/api/history': async ({ query: { hours = DEFAULT_HOURS } }) =>
      (await health.history(hours)).map(historyView),
    'GET /health/api/stats': async ({ query: { hours = DEFAULT_HOURS } }) => {
      const [statistics, sample] = await Promise.all([health.statistics(hours), health.current()])
      return statisticsOf(hours, statistics, sample)
    },
    'GET /health/api/alerts': async () => (await health.openAlerts()).map(alertView),
    'POST /health/api/alerts/:id/acknowledge': async ({ params: { id } }) => {
      if (!(ID.test(id) && (await health.acknowledge(Number(id))))) throw missing('Alert not found')
      return { status: 'success', message: 'Alert acknowledged' }
    },
    'POST /health/api/alerts/:id/resolve': async ({ params: { id } }) => {
      if (!(ID.test(id) && (await health.resolve(Number(id))))) throw missing('Alert not found')
      return { status: 'success', message: 'Alert resolved' }
    },
    // A file, which may be larger than the memory.
    'GET /health/export': httpHandler((c) => {
      const { hours = DEFAULT_HOURS } = parseWith(healthExportQuery, c.req.query())
      const file = { name: 'health_metrics.csv', columns: COLUMNS, view: (row: HealthRow) => row }
      return sendCsv(c, file, health.export(hours))
    }),
  } satisfies Partial<Handlers>
}

function missing(text: string): ServiceError {
  return new ServiceError('not_found', text, { extra: { error: text } })
}

const isoOf = (at: number): string => new Date(at).toISOString()

function currentView(row: HealthRow) {
  return {
    timestamp: isoOf(row.timestamp),
    fd: { count: row.fdCount, limit: row.fdLimit, usage_percent: row.fdUsagePercent, status: row.fdStatus },
    memory: {
      rss_mb: row.memoryRssMb,
      vms_mb: row.memoryVmsMb,
      percent: row.memoryPercent,
      available_mb: row.memoryAvailableMb,
      swap_mb: row.memorySwapMb,
      status: row.memoryStatus,
    },
    database: { total: row.dbConnectionsTotal, connections: row.dbConnections, status: row.dbStatus },
    websocket: {
      total: row.wsConnectionsTotal,
      connections: row.wsConnections,
      total_symbols: row.wsTotalSymbols,
      status: row.wsStatus,
    },
    // The threads of Node have no names; the service is one process.
    threads: { count: row.threadCount, stuck: row.stuckThreads, status: row.threadStatus, details: [] },
    processes: [
      {
        pid: process.pid,
        name: 'svc',
        rss_mb: row.memoryRssMb,
        vms_mb: row.memoryVmsMb,
        memory_percent: row.memoryPercent,
      },
    ],
    overall_status: row.overallStatus,
  }
}

function historyView(row: HealthRow) {
  return {
    timestamp: isoOf(row.timestamp),
    fd_count: row.fdCount,
    memory_rss_mb: row.memoryRssMb,
    db_connections: row.dbConnectionsTotal,
    ws_connections: row.wsConnectionsTotal,
    threads: row.threadCount,
    overall_status: row.overallStatus,
  }
}

function alertView(alert: HealthAlert) {
  return {
    id: alert.id,
    timestamp: isoOf(alert.timestamp),
    alert_type: alert.alertType,
    severity: alert.severity,
    metric_name: alert.metricName,
    metric_value: alert.metricValue,
    threshold_value: alert.thresholdValue,
    message: alert.message,
    acknowledged: alert.acknowledgedAt !== null,
    resolved: alert.resolvedAt !== null,
  }
}
