import type { Config } from '../config/index.js'
import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock } from '../time/index.js'
import { DAY_MS } from '../time/index.js'
import type { LatencyRecorder } from './latency/recorder.js'
import type { OrderLogs } from './order-logs.js'
import type { RequestTrail } from './requests/request-trail.js'
import type { TrafficLog } from './traffic/traffic-log.js'

interface RetentionParts {
  orderLogs: Pick<OrderLogs, 'purge'>
  latency: Pick<LatencyRecorder, 'purge'>
  requests: Pick<RequestTrail, 'purge'>
  traffic: Pick<TrafficLog, 'purge'>
  config: Pick<
    Config,
    | 'ORDER_LOG_RETENTION_DAYS'
    | 'ANALYZER_LOG_RETENTION_DAYS'
    | 'LATENCY_RETENTION_DAYS'
    | 'TRAFFIC_LOG_RETENTION_DAYS'
  >
  clock: Clock
  log: Logger
}

/**
 * Deletes log rows older than their retention period. Runs at start and once a day. A failure is logged, not
 * thrown.
 */
export async function purgeLogs({
  orderLogs,
  latency,
  requests,
  traffic,
  config,
  clock,
  log,
}: RetentionParts): Promise<void> {
  const jobs = [
    {
      rows: 'order_logs',
      days: config.ORDER_LOG_RETENTION_DAYS,
      purge: (before: number) => orderLogs.purge('live', before),
    },
    {
      rows: 'analyzer_logs',
      days: config.ANALYZER_LOG_RETENTION_DAYS,
      purge: (before: number) => orderLogs.purge('analyze', before),
    },
    {
      rows: 'order_latency',
      days: config.LATENCY_RETENTION_DAYS,
      purge: (before: number) => latency.purge(before),
    },
    {
      rows: 'traffic_logs',
      days: config.TRAFFIC_LOG_RETENTION_DAYS,
      purge: (before: number) => traffic.purge(before),
    },
    {
      rows: 'request_trail',
      days: config.TRAFFIC_LOG_RETENTION_DAYS,
      purge: (before: number) => requests.purge(before),
    },
  ]
  for (const { rows, days, purge } of jobs) {
    if (days === 0) continue
    try {
      const removed = await purge(clock.ago(days * DAY_MS))
      if (removed > 0) log.info('logs.purged', { rows, removed })
    } catch (error) {
      log.error('logs.purge_failed', { rows, message: messageOf(error) })
    }
  }
}
