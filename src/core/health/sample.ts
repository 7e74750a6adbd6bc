import type { ProcessFacts } from './process-facts.js'
import { type HealthStatus, MEASURES, type Measure, type ServiceFacts, type Thresholds } from './schema.js'
import type { HealthValues } from './store.js'

const SEVERITY: Readonly<Record<HealthStatus, number>> = { pass: 0, warn: 1, fail: 2 }

/** Returns the status of a value; a value that is not known passes. */
export function statusOf(value: number | null, { fail, warn }: Thresholds[Measure]): HealthStatus {
  if (value === null || value < warn) return 'pass'
  return value < fail ? 'warn' : 'fail'
}

/** Returns the most severe of some statuses. */
export function worst(statuses: readonly HealthStatus[]): HealthStatus {
  return statuses.reduce((a, b) => (SEVERITY[b] > SEVERITY[a] ? b : a), 'pass')
}

interface Facts {
  process: ProcessFacts
  service: ServiceFacts
  /** Databases that did not answer the last probe in time. */
  stuck: number
}

/** Returns the row of a sample. */
export function sampleOf(
  at: number,
  { process, service, stuck }: Facts,
  thresholds: Thresholds,
): HealthValues {
  const { fdCount, fdLimit } = process
  const db = sum(service.databases)
  const ws = sum(service.streams)
  const memoryRssMb = tenths(process.rssMb)
  const values = { fd: fdCount, memory: memoryRssMb, db, ws, thread: process.threads }
  const status = (measure: Measure) => statusOf(values[measure], thresholds[measure])
  const threadStatus = stuck > 0 ? 'fail' : status('thread')
  return {
    timestamp: at,
    fdCount,
    fdLimit,
    fdUsagePercent: fdCount === null || fdLimit === null ? null : tenths((100 * fdCount) / fdLimit),
    fdAvailable: fdCount === null || fdLimit === null ? null : fdLimit - fdCount,
    fdStatus: status('fd'),
    memoryRssMb,
    memoryVmsMb: process.vmsMb === null ? null : tenths(process.vmsMb),
    memoryPercent: tenths((100 * process.rssMb) / process.totalMb),
    memoryAvailableMb: tenths(process.availableMb),
    memorySwapMb: process.swapMb === null ? null : tenths(process.swapMb),
    memoryStatus: status('memory'),
    dbConnectionsTotal: db,
    dbConnections: { ...service.databases },
    dbStatus: status('db'),
    wsConnectionsTotal: ws,
    wsConnections: { ...service.streams },
    wsTotalSymbols: service.symbols,
    wsStatus: status('ws'),
    threadCount: process.threads,
    stuckThreads: stuck,
    threadStatus,
    overallStatus: worst([...MEASURES.filter((one) => one !== 'thread').map(status), threadStatus]),
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}

const tenths = (value: number): number => Math.round(value * 10) / 10
