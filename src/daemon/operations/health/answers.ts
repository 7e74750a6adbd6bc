import { z } from 'zod'
import { amount, count, instant, ok, text } from '../common/answers.js'

const status = z.enum(['pass', 'warn', 'fail'])
const known = (description: string) => amount.nullable().meta({ description })

const check = z.strictObject({
  componentId: text,
  status,
  observedValue: amount.nullable().optional(),
  observedUnit: text.optional(),
  time: instant,
})
export const healthCheck = z.strictObject({
  status,
  version: text,
  serviceId: text,
  description: text,
  checks: z.record(text, z.array(check)),
})

export const currentHealth = z.strictObject({
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

export const healthHistory = z.array(
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

export const healthAlerts = z.array(
  z.strictObject({
    id: count,
    timestamp: instant,
    alert_type: text,
    severity: z.enum(['warn', 'fail']),
    metric_name: text,
    metric_value: amount,
    threshold_value: amount,
    message: text,
    acknowledged: z.boolean(),
    resolved: z.boolean(),
  }),
)

export const alertChanged = ok({ message: z.enum(['Alert acknowledged', 'Alert resolved']) })
