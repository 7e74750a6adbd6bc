import type { HealthStatus } from '../../../core/health/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'

interface HealthParts {
  version: string
  /** Returns whether an order would reach its market now. */
  ready(): boolean
  /** Returns true from the end of recovery until the service begins to stop, while requests can be stored. */
  accepts(): boolean
  checks(): Record<string, unknown>
  /** The status of the last health sample. */
  sampled(): HealthStatus
}

/** Returns the handlers without a credential: liveness, readiness and version. They reveal nothing else. */
export function healthHandlers(parts: HealthParts) {
  const readiness = () => ({ status: parts.ready() ? 'pass' : 'fail', checks: parts.checks() })
  const health = () => (parts.accepts() ? parts.sampled() : 'fail')
  const inBrief = () => ({
    status: health(),
    version: '1.0',
    serviceId: 'svc',
    description: 'Order routing and trading automation',
  })
  return {
    'GET /version': () => ({ status: 'success', name: 'svc', version: parts.version }),
    'GET /auth/app-info': () => ({ status: 'success', name: 'svc', version: parts.version }),
    'GET /health/live': () => ({ status: 'pass', serviceId: 'svc', pid: process.pid }),
    'GET /health/ready': httpHandler((c) => c.json(readiness(), parts.ready() ? 200 : 503)),
    'GET /health/status': httpHandler((c) => c.json(inBrief(), health() === 'fail' ? 503 : 200)),
  } satisfies Partial<Handlers>
}
