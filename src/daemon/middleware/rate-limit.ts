import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { METHOD_NAME_ALL } from 'hono/router'
import { ServiceError } from '../../core/errors/index.js'
import { addressGroup } from '../../core/security/index.js'
import { callOf, countedAddress, type TrustedProxies } from '../http/client.js'
import type { AppEnv } from '../process/env.js'
import type { MovingWindowLimiter } from './moving-window.js'

/** Limits the calls of each route by client address. A call over the limit gets 429 with Retry-After. */
export function rateLimit(limiter: MovingWindowLimiter, proxies: TrustedProxies): MiddlewareHandler<AppEnv> {
  return function rateLimit(c, next) {
    const waitMs = limiter.take(`${addressGroup(countedAddress(callOf(c), proxies))} ${routeOf(c)}`)
    if (waitMs > 0) {
      throw new ServiceError('rate_limited', 'Rate limit exceeded. Please slow down your requests.', {
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
      })
    }
    return next()
  }
}

/** Returns the pattern of the route that will answer, so that different ids in a path share one counter. */
function routeOf(c: Context<AppEnv>): string {
  return matchedRoutes(c).find(({ method }) => method !== METHOD_NAME_ALL)?.path ?? ''
}
