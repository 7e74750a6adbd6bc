import type { MiddlewareHandler } from 'hono'
import type { Daemon } from '../daemon.js'
import { MovingWindowLimiter, rateLimit } from '../middleware/rate-limit.js'
import { RATE_GROUPS, type RateGroup } from '../operations/operation.js'
import type { AppEnv } from '../process/env.js'

type Limits = Readonly<Record<RateGroup, MiddlewareHandler<AppEnv>>>

/** Returns the limiter of each rate group, from the configuration. Each route is counted separately. */
export function limitsOf({ proxies, service: { clock, config } }: Daemon): Limits {
  const limitOf = (group: RateGroup) => {
    const windows = RATE_GROUPS[group].flatMap((key) => config[key])
    return rateLimit(new MovingWindowLimiter(windows, clock), proxies)
  }
  return {
    order: limitOf('order'),
    smart: limitOf('smart'),
    api: limitOf('api'),
    data: limitOf('data'),
    greeks: limitOf('greeks'),
    telegram: limitOf('telegram'),
    whatsapp: limitOf('whatsapp'),
    login: limitOf('login'),
    reset: limitOf('reset'),
  }
}
