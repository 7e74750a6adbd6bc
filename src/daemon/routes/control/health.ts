import { type Handlers, httpHandler } from '../../http/handlers.js'

interface HealthParts {
  version: string
  /** Returns true from the end of recovery until the service begins to stop. */
  ready(): boolean
  checks(): Record<string, unknown>
}

/** Returns the handlers without a credential: liveness, readiness and version. They reveal nothing else. */
export function healthHandlers(parts: HealthParts) {
  const readiness = () => ({ status: parts.ready() ? 'pass' : 'fail', checks: parts.checks() })
  const inBrief = () => ({
    status: parts.ready() ? 'pass' : 'fail',
    version: '1.0',
    serviceId: 'svc',
    description: 'Order routing and trading automation',
  })
  return {
    'GET /version': () => ({ status: 'success', name: 'svc', version: parts.version }),
    'GET /auth/app-info': () => ({ status: 'success', name: 'svc', version: parts.version }),
    'GET /health/live': () => ({ status: 'pass', serviceId: 'svc', pid: process.pid }),
    'GET /health/ready': httpHandler((c) => c.json(readiness(), parts.ready() ? 200 : 503)),
    'GET /health/status': httpHandler((c) => c.json(inBrief(), parts.ready() ? 200 : 503)),
  } satisfies Partial<Handlers>
}
