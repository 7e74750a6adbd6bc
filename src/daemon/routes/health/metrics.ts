import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { isLocalCall } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import type { Metrics } from '../../metrics/metrics.js'
import { callerOf, type SessionGuardOptions } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'

interface MetricsParts extends SessionGuardOptions {
  metrics: Metrics
  /** True if programs on this machine need no credential. */
  allowLocal: boolean
}

const TOKEN_NEEDED =
  'The metrics need a valid token with the scope read or admin, as Authorization: Bearer <token>. Create one: svc token create'

/** Returns the handler of the metrics for Prometheus. */
export function metricsHandlers({ allowLocal, metrics, ...guardOptions }: MetricsParts) {
  const answer = async (c: Context<AppEnv>) =>
    c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' })
  /** A scraper cannot sign in, so its refusal names the token. */
  const beforeGuard = async (c: Context<AppEnv>) => {
    if (allowLocal && isLocalCall(c)) return answer(c)
    if (!callerOf(c, guardOptions)) throw new ServiceError('unauthenticated', TOKEN_NEEDED)
    return undefined
  }
  return {
    'GET /metrics': httpHandler(answer, beforeGuard),
  } satisfies Partial<Handlers>
}
