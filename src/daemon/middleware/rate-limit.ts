import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { METHOD_NAME_ALL } from 'hono/router'
import type { RateWindow } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import { addressGroup } from '../../core/security/index.js'
import type { Clock } from '../../core/time/index.js'
import { callOf, countedAddress, type TrustedProxies } from '../http/client.js'
import type { AppEnv } from '../process/env.js'

/** The most callers that the limiter remembers. It drops the least recently used first. */
const MAX_KEYS = 10_000

/**
 * The times of the calls in the longest window, oldest first. `head` moves forward, so that the array need
 * not shift.
 */
interface Calls {
  at: number[]
  head: number
}

/**
 * A sliding-window limit: in every window, at most `count` calls are allowed in the last `perMs`
 * milliseconds. A refused call is not counted.
 */
export class MovingWindowLimiter {
  readonly #calls = new Map<string, Calls>()
  #newest: string | undefined
  readonly #longestMs: number

  constructor(
    private readonly windows: readonly RateWindow[],
    private readonly clock: Clock,
  ) {
    this.#longestMs = Math.max(...windows.map((window) => window.perMs))
  }

  /** Counts a call. @returns 0 when it may pass, otherwise the milliseconds until the next one may */
  take(key: string): number {
    const now = this.clock.monotonic()
    const calls = this.#of(key)
    while (calls.head < calls.at.length && (calls.at[calls.head] ?? 0) <= now - this.#longestMs)
      calls.head += 1
    if (calls.head > 1024 && calls.head * 2 > calls.at.length) {
      calls.at.splice(0, calls.head)
      calls.head = 0
    }
    const wait = Math.max(...this.windows.map((window) => this.#wait(calls, window, now)))
    if (wait <= 0) calls.at.push(now)
    return Math.max(0, wait)
  }

  /** Returns the milliseconds until the call that is `count` back leaves this window. */
  #wait(calls: Calls, window: RateWindow, now: number): number {
    const index = calls.at.length - window.count
    if (index < calls.head) return 0
    return (calls.at[index] ?? 0) + window.perMs - now
  }

  #of(key: string): Calls {
    const known = this.#calls.get(key)
    if (known && key === this.#newest) return known
    // The map is kept in order of use, so that its first key is the one to drop.
    if (known) this.#calls.delete(key)
    this.#newest = key
    const calls = known ?? { at: [], head: 0 }
    this.#calls.set(key, calls)
    if (this.#calls.size > MAX_KEYS) {
      const [oldest] = this.#calls.keys()
      if (oldest !== undefined) this.#calls.delete(oldest)
    }
    return calls
  }
}

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
