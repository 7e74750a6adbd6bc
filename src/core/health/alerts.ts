import type { HealthStatus, Measure, Thresholds } from './schema.js'
import type { HealthValues, NewAlert } from './store.js'

/** The measures of a sample with their names in alerts. */
const WATCHED: readonly {
  measure: Measure
  metric: string
  value(sample: HealthValues): number | null
  status(sample: HealthValues): HealthStatus
  words: string
  unit: string
}[] = [
  {
    measure: 'fd',
    metric: 'fd_count',
    value: ({ fdCount }) => fdCount,
    status: ({ fdStatus }) => fdStatus,
    words: 'File descriptor count',
    unit: '',
  },
  {
    measure: 'memory',
    metric: 'memory_rss_mb',
    value: ({ memoryRssMb }) => memoryRssMb,
    status: ({ memoryStatus }) => memoryStatus,
    words: 'Memory usage',
    unit: ' MB',
  },
  {
    measure: 'db',
    metric: 'db_connections',
    value: ({ dbConnectionsTotal }) => dbConnectionsTotal,
    status: ({ dbStatus }) => dbStatus,
    words: 'Database connections',
    unit: '',
  },
  {
    measure: 'ws',
    metric: 'ws_connections',
    value: ({ wsConnectionsTotal }) => wsConnectionsTotal,
    status: ({ wsStatus }) => wsStatus,
    words: 'WebSocket connections',
    unit: '',
  },
  {
    measure: 'thread',
    metric: 'thread_count',
    value: ({ threadCount }) => threadCount,
    status: ({ threadStatus }) => threadStatus,
    words: 'Thread count',
    unit: '',
  },
]

/** Returns the alerts that a sample raises, one for each measure that does not pass. */
export function alertsOf(sample: HealthValues, thresholds: Thresholds): NewAlert[] {
  return WATCHED.flatMap(({ measure, metric, status, unit, value, words }) => {
    const severity = status(sample)
    if (severity === 'pass') return []
    const amount = value(sample) ?? 0
    const threshold = thresholds[measure][severity]
    const text = measure === 'memory' ? amount.toFixed(1) : String(amount)
    const level = severity === 'warn' ? 'elevated' : 'critical'
    const stuck =
      measure === 'thread' && sample.stuckThreads > 0 ? `, ${sample.stuckThreads} stuck threads detected` : ''
    return {
      timestamp: sample.timestamp,
      alertType: `${measure}_${severity}`,
      severity,
      metricName: metric,
      metricValue: amount,
      thresholdValue: threshold,
      message: `${words} ${level}: ${text}${unit} (threshold: ${threshold}${unit})${stuck}`,
      acknowledgedAt: null,
      resolvedAt: null,
    }
  })
}

/** Returns the types of the alerts that a sample ends: those of the measures that pass again. */
export function endedBy(sample: HealthValues): string[] {
  return WATCHED.filter(({ status }) => status(sample) === 'pass').flatMap(({ measure }) => [
    `${measure}_warn`,
    `${measure}_fail`,
  ])
}
