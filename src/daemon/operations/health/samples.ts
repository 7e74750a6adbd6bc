import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { HealthRow } from '../../../core/health/index.js'
import { istDayFirst } from '../../../core/time/index.js'
import { type CsvColumns, CsvFile } from '../../http/response/csv-file.js'
import { amount, count, instant, text } from '../common/answers.js'
import { csvFile } from '../common/payloads.js'
import { open, signedIn } from '../running.js'
import { orUnavailable } from '../service/probes.js'
import { checkOf, healthCheck } from './check.js'
import { healthStatistics, statisticsOf } from './statistics.js'

const health = signedIn('Service', 'sixtyAMinute', 'read', 'admin')

const DEFAULT_HOURS = 24
const HOURS = 'Must be a whole number of hours from 1 to 168.'

/** The period that an answer covers: the last day by default, a week at most. */
const hoursQuery = z.object({
  hours: z
    .string()
    .regex(/^\d{1,3}$/, HOURS)
    .transform(Number)
    .refine((hours) => hours >= 1 && hours <= 168, HOURS)
    .optional()
    .meta({ type: 'string', description: 'Hours, 1 to 168; 24 by default.' }),
})
const healthExportQuery = hoursQuery.extend(csvFile)
const period = { query: hoursQuery, example: { hours: '6' }, errors: ['validation'] } as const

const status = z.enum(['pass', 'warn', 'fail'])
const known = (description: string) => amount.nullable().meta({ description })

const currentHealth = z.strictObject({
  timestamp: instant,
  fd: z.strictObject({
    count: known('Null where the operating system does not say.'),
    limit: amount.nullable(),
    usage_percent: amount.nullable(),
    status,
  }),
  memory: z.strictObject({
    rss_mb: amount,
    vms_mb: amount.nullable(),
    percent: amount,
    available_mb: amount,
    swap_mb: amount.nullable(),
    status,
  }),
  database: z.strictObject({ total: count, connections: z.record(text, count), status }),
  websocket: z.strictObject({
    total: count,
    connections: z.record(text, count),
    total_symbols: count,
    status,
  }),
  threads: z.strictObject({
    count: count.nullable(),
    stuck: count.meta({ description: 'Databases that do not answer.' }),
    status,
    details: z.array(z.strictObject({ id: count, name: text, daemon: z.boolean(), alive: z.boolean() })),
  }),
  processes: z.array(
    z.strictObject({
      pid: count,
      name: text,
      rss_mb: amount,
      vms_mb: amount.nullable(),
      memory_percent: amount,
    }),
  ),
  overall_status: status,
})

const healthHistory = z.array(
  z.strictObject({
    timestamp: instant,
    fd_count: amount.nullable(),
    memory_rss_mb: amount,
    db_connections: count,
    ws_connections: count,
    threads: count.nullable(),
    overall_status: status,
  }),
)

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

/** The health samples, and a check of the process now. */
export const HEALTH_SAMPLE_OPERATIONS = {
  'GET /health/check': open('Service')('Probes the databases and the process now.', {
    limit: 'sixtyAMinute',
    answer: healthCheck,
    others: { 503: healthCheck },
    run: async ({ daemon, feedWatch }) => {
      const [probes, sample] = await Promise.all([daemon.health.probeAll(), daemon.health.current()])
      const isFeedLost = feedWatch.state().state === 'lost'
      return orUnavailable(checkOf({ probes, sample, ready: daemon.accepts(), isFeedLost }))
    },
  }),
  'GET /health/api/current': health('Returns the newest health sample.', {
    answer: currentHealth,
    errors: ['not_found'],
    run: async ({ daemon }) => {
      const sample = await daemon.health.current()
      if (sample) return currentView(sample)
      const error = 'No metrics available'
      throw new ServiceError('not_found', error, { extra: { error } })
    },
  }),
  'GET /health/api/history': health('Lists health samples, oldest first; at most 10,000, evenly chosen.', {
    ...period,
    answer: healthHistory,
    run: async ({ daemon }, { query: { hours = DEFAULT_HOURS } }) =>
      (await daemon.health.history(hours)).map(historyView),
  }),
  'GET /health/api/stats': health('Returns averages and extremes of the health samples.', {
    ...period,
    answer: healthStatistics,
    run: async ({ daemon }, { query: { hours = DEFAULT_HOURS } }) => {
      const [statistics, sample] = await Promise.all([
        daemon.health.statistics(hours),
        daemon.health.current(),
      ])
      return statisticsOf(hours, statistics, sample)
    },
  }),
}

export const HEALTH_EXPORT_OPERATIONS = {
  'GET /health/export': health('Exports health samples as a CSV file.', {
    ...period,
    query: healthExportQuery,
    limit: 'tenAMinute',
    answerText: 'text/csv',
    run: ({ daemon }, { query: { hours = DEFAULT_HOURS } }) => {
      const file = { name: 'health_metrics.csv', columns: COLUMNS, view: (row: HealthRow) => row }
      return new CsvFile(file, daemon.health.export(hours))
    },
  }),
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
