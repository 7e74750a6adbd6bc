import { z } from 'zod'
import type { HealthRow, HealthStatus, ProbeResult } from '../../../core/health/index.js'
import { amount, instant, text } from '../common/answers.js'

const status = z.enum(['pass', 'warn', 'fail'])
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

interface Checked {
  probes: readonly ProbeResult[]
  /** The newest sample; undefined before the first. */
  sample: HealthRow | undefined
  ready: boolean
  isFeedLost: boolean
}

/** Returns the answer of `/health/check`, which names no path and no value that an anonymous caller must not see. */
export function checkOf({ isFeedLost, probes, ready, sample }: Checked, now = new Date().toISOString()) {
  const databases = probes.map(({ name, status }) => ({ componentId: name, status, time: now }))
  const at = sample && new Date(sample.timestamp).toISOString()
  const stream = isFeedLost ? ('warn' as const) : ('pass' as const)
  const checks = {
    'database:connectivity': databases,
    ...(sample &&
      at && {
        'system:file-descriptors': [
          {
            componentId: 'fd_count',
            status: sample.fdStatus,
            observedValue: sample.fdCount,
            observedUnit: 'count',
            time: at,
          },
        ],
        'system:memory': [
          {
            componentId: 'rss',
            status: sample.memoryStatus,
            observedValue: sample.memoryRssMb,
            observedUnit: 'MiB',
            time: at,
          },
        ],
      }),
    'websocket:proxy': [{ componentId: 'market-stream', status: stream, time: now }],
  }
  const statuses = Object.values(checks).flatMap((list) => list.map(({ status }) => status))
  const status: HealthStatus =
    !ready || statuses.includes('fail') ? 'fail' : statuses.includes('warn') ? 'warn' : 'pass'
  return {
    status,
    version: '1.0',
    serviceId: 'svc',
    description: 'Order routing and trading automation',
    checks,
  }
}
