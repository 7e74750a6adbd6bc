import type { Context } from 'hono'
import { isLocalCall } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { AppEnv } from '../../process/env.js'

interface MetricsParts {
  metrics: Metrics
  /** True if programs on this machine need no credential. */
  allowLocal: boolean
}

/** Returns the handler of the metrics for Prometheus. */
export function metricsHandlers({ allowLocal, metrics }: MetricsParts) {
  const answer = async (c: Context<AppEnv>) =>
    c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' })
  return {
    'GET /metrics': httpHandler(answer, async (c) => (allowLocal && isLocalCall(c) ? answer(c) : undefined)),
  } satisfies Partial<Handlers>
}
