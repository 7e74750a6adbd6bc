import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { RunningService } from '../../daemon.js'
import { isLocalCall } from '../../http/client.js'
import { callerOf, sessionOptions } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'
import { http, signedIn } from '../running.js'

const TOKEN_NEEDED =
  'The metrics need a valid token with the scope read or admin, as Authorization: Bearer <token>. Create one: svc token create'

/** The metrics for Prometheus. Programs on this machine may need no credential. */
export const METRICS_OPERATIONS = {
  'GET /metrics': signedIn(
    'Service',
    'sixtyAMinute',
    'read',
    'admin',
  )('Returns the metrics of the service, for Prometheus.', {
    answerText: 'text/plain',
    run: http('a file', sendMetrics, beforeGuard),
  }),
}

async function sendMetrics({ daemon: { metrics } }: RunningService, c: Context<AppEnv>): Promise<Response> {
  const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
  return c.body(await metrics.text(), 200, headers)
}

/** A scraper cannot sign in, so its refusal names the token. */
async function beforeGuard(service: RunningService, c: Context<AppEnv>): Promise<Response | undefined> {
  if (service.config.METRICS_ALLOW_LOCAL && isLocalCall(c)) return sendMetrics(service, c)
  if (!callerOf(c, sessionOptions(service))) throw new ServiceError('unauthenticated', TOKEN_NEEDED)
  return undefined
}
