import { HealthMonitor, type Probed, type Thresholds } from '../../core/health/index.js'
import type { Database } from '../../core/storage/index.js'
import { SECOND_MS } from '../../core/time/index.js'
import type { Service } from '../service.js'

/**
 * Returns the monitor of a daemon: its process, its databases and its streams.
 *
 * @param streams - returns the number of open clients by stream
 */
export function healthMonitor(service: Service, streams: () => Record<string, number>): HealthMonitor {
  const { clock, config, databases, hub, log } = service
  return new HealthMonitor({
    db: databases.logs,
    clock,
    log,
    thresholds: thresholdsOf(service),
    sampleMs: config.HEALTH_SAMPLE_INTERVAL * SECOND_MS,
    retentionDays: config.HEALTH_RETENTION_DAYS,
    databases: Object.entries(databases).map(([name, database]) => probed(name, database)),
    facts: () => ({
      databases: Object.fromEntries(
        Object.entries(databases).map(([name, { connections }]) => [name, connections]),
      ),
      streams: streams(),
      symbols: hub.symbols().length,
    }),
  })
}

function thresholdsOf({ config }: Service): Thresholds {
  return {
    fd: { warn: config.HEALTH_FD_WARNING_THRESHOLD, fail: config.HEALTH_FD_CRITICAL_THRESHOLD },
    memory: { warn: config.HEALTH_MEMORY_WARNING_THRESHOLD, fail: config.HEALTH_MEMORY_CRITICAL_THRESHOLD },
    db: { warn: config.HEALTH_DB_WARNING_THRESHOLD, fail: config.HEALTH_DB_CRITICAL_THRESHOLD },
    ws: { warn: config.HEALTH_WS_WARNING_THRESHOLD, fail: config.HEALTH_WS_CRITICAL_THRESHOLD },
    thread: { warn: config.HEALTH_THREAD_WARNING_THRESHOLD, fail: config.HEALTH_THREAD_CRITICAL_THRESHOLD },
  }
}

/** A database works if its file is there, its last write succeeded, and a query reads its first page. */
function probed(name: string, database: Database): Probed {
  return {
    name,
    probe: async () => {
      if (database.missing() !== undefined || database.failing) throw new Error(`${name} cannot be written`)
      await database.queryRaw('select count(*) as n from sqlite_schema')
    },
  }
}
