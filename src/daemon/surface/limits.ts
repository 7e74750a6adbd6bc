import type { MiddlewareHandler } from 'hono'
import type { RateWindow } from '../../core/config/index.js'
import type { Daemon } from '../daemon.js'
import type { AppEnv } from '../env.js'
import { MovingWindowLimiter, rateLimit } from '../middleware/rate-limit.js'

/** Makes limits: each counts by itself, over all the windows it is given. */
export type Limit = (...windows: (readonly RateWindow[])[]) => MiddlewareHandler<AppEnv>

export function limitsOf({ proxies, service: { clock } }: Daemon): Limit {
  return (...windows) => rateLimit(new MovingWindowLimiter(windows.flat(), clock), proxies)
}
