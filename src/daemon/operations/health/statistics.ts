import { z } from 'zod'
import type { HealthMonitor, HealthRow } from '../../../core/health/index.js'
import { amount, count } from '../common/answers.js'

const nothing = z.strictObject({}).meta({ description: 'Without samples.' })
const range = {
  current: amount.nullable(),
  avg: amount.nullable(),
  min: amount.nullable(),
  max: amount.nullable(),
}
const misses = { fail_count: count, warn_count: count }
const tally = z.strictObject({ warn: count, fail: count })
export const healthStatistics = z.strictObject({
  total_samples: count,
  time_period_hours: count,
  fd: z.union([z.strictObject({ ...range, ...misses }), nothing]),
  memory: z.union([
    z.strictObject({ current_mb: amount, avg_mb: amount, min_mb: amount, max_mb: amount, ...misses }),
    nothing,
  ]),
  database: z.union([z.strictObject(range), nothing]),
  websocket: z.union([z.strictObject(range), nothing]),
  threads: z.union([z.strictObject(range), nothing]),
  status: z.union([
    z.strictObject({
      overall: z.strictObject({ pass: count, warn: count, fail: count }),
      fd: tally,
      memory: tally,
      database: tally,
      websocket: tally,
      threads: tally,
    }),
    nothing,
  ]),
})

type Statistics = Awaited<ReturnType<HealthMonitor['statistics']>>
interface Range {
  avg: number | null
  min: number | null
  max: number | null
}

const NOTHING = { fd: {}, memory: {}, database: {}, websocket: {}, threads: {}, status: {} }

/** Returns the answer of `/health/api/stats`. */
export function statisticsOf(hours: number, found: Statistics, current: HealthRow | undefined) {
  const period = { total_samples: found?.samples ?? 0, time_period_hours: hours }
  if (!found || !current || found.samples === 0) return { ...period, ...NOTHING }
  const { database, fd, memory, samples, statuses, threads, websocket } = found
  const of = (value: number | null, { avg, max, min }: Range) => ({
    current: value,
    avg: tenths(avg),
    min,
    max,
  })
  const tally = (warn: number, fail: number) => ({ warn, fail })
  return {
    ...period,
    fd: { ...of(current.fdCount, fd), fail_count: statuses.fdFail, warn_count: statuses.fdWarn },
    memory: {
      current_mb: current.memoryRssMb,
      avg_mb: tenths(memory.avg) ?? 0,
      min_mb: memory.min ?? 0,
      max_mb: memory.max ?? 0,
      fail_count: statuses.memoryFail,
      warn_count: statuses.memoryWarn,
    },
    database: of(current.dbConnectionsTotal, database),
    websocket: of(current.wsConnectionsTotal, websocket),
    threads: of(current.threadCount, threads),
    status: {
      overall: { pass: samples - statuses.warn - statuses.fail, warn: statuses.warn, fail: statuses.fail },
      fd: tally(statuses.fdWarn, statuses.fdFail),
      memory: tally(statuses.memoryWarn, statuses.memoryFail),
      database: tally(statuses.dbWarn, statuses.dbFail),
      websocket: tally(statuses.wsWarn, statuses.wsFail),
      threads: tally(statuses.threadWarn, statuses.threadFail),
    },
  }
}

const tenths = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10)
