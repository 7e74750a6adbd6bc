import type { MiddlewareHandler } from 'hono'
import { type Config, parseRateLimit, type RateWindow } from '../../core/config/index.js'
import type { Daemon } from '../daemon.js'
import { MovingWindowLimiter } from '../middleware/moving-window.js'
import {
  limitGuesses,
  limitStrangers,
  limitTogether,
  limitTokens,
  rateLimit,
} from '../middleware/rate-limit.js'
import { RATE_GROUPS, type RateGroup } from '../operations/facts.js'
import type { AppEnv } from '../process/env.js'

/** Returns the limiter of a rate group. */
export type Limits = (group: RateGroup) => MiddlewareHandler<AppEnv>

/** Returns the limiters of all rate groups, from the configuration. */
export function limitsOf({ proxies, service: { clock, config } }: Daemon): Limits {
  const known = new Map<RateGroup, MiddlewareHandler<AppEnv>>()
  return (group) => {
    const limiter = () => new MovingWindowLimiter(windowsOf(group, config), clock)
    const limit = known.get(group) ?? middlewareOf(group)(limiter(), proxies)
    known.set(group, limit)
    return limit
  }
}

const LIMITERS = {
  'wrong credentials': limitGuesses,
  'calls of strangers': limitStrangers,
  'addresses and tokens': limitTokens,
  'all routes together': limitTogether,
} as const

function middlewareOf(name: RateGroup) {
  const group = RATE_GROUPS[name]
  return 'counts' in group ? LIMITERS[group.counts] : rateLimit
}

function windowsOf(name: RateGroup, config: Config): readonly RateWindow[] {
  const group = RATE_GROUPS[name]
  return 'fixed' in group ? parseRateLimit(group.fixed) : group.settings.flatMap((key) => config[key])
}
