import { Hono } from 'hono'
import type { AppEnv } from '../env.js'

export interface HealthParts {
  version: string
  /** True between the end of recovery and the beginning of the stop. */
  ready(): boolean
  checks(): Record<string, unknown>
}

/** Open routes: is it alive, is it ready, which version is it. They tell nothing else. */
export function healthRoutes(parts: HealthParts): Hono<AppEnv> {
  const readiness = () => ({ status: parts.ready() ? 'pass' : 'fail', checks: parts.checks() })
  return new Hono<AppEnv>()
    .get('/live', (c) => c.json({ status: 'pass', serviceId: 'svc', pid: process.pid }))
    .get('/ready', (c) => c.json(readiness(), parts.ready() ? 200 : 503))
    .get('/status', (c) =>
      c.json(
        {
          status: parts.ready() ? 'pass' : 'fail',
          version: '1.0',
          serviceId: 'svc',
          description: 'Order routing and trading automation',
        },
        parts.ready() ? 200 : 503,
      ),
    )
}
