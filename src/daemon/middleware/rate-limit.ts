import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import { METHOD_NAME_ALL } from 'hono/router'
import { type ErrorCode, ServiceError, serviceErrorIn } from '../../core/errors/index.js'
import { sha256Hex } from '../../core/secrets/index.js'
import { addressGroup } from '../../core/security/index.js'
import { callerAddress, callOf, isOwnersCall, type TrustedProxies } from '../http/client.js'
import type { AppEnv } from '../process/env.js'
import type { MovingWindowLimiter } from './moving-window.js'

/**
 * Limits the calls of each route by client address, except those of the owner's addresses: nobody who shares such
 * an address can keep the owner from signing in. A call over the limit gets 429 with Retry-After.
 */
export function limitStrangers(
  limiter: MovingWindowLimiter,
  proxies: TrustedProxies,
): MiddlewareHandler<AppEnv> {
  const limited = rateLimit(limiter, proxies)
  return (c, next) => (isOwnersCall(callOf(c), proxies) ? next() : limited(c, next))
}

/** Limits the calls of each route by client address. A call over the limit gets 429 with Retry-After. */
export function rateLimit(limiter: MovingWindowLimiter, proxies: TrustedProxies): MiddlewareHandler<AppEnv> {
  return function rateLimit(c, next) {
    refuseFor(limiter.take(keyOf(c, proxies)))
    return next()
  }
}

/** Limits the calls of a group of routes by client address. The routes share their counter. */
export function limitTogether(
  limiter: MovingWindowLimiter,
  proxies: TrustedProxies,
): MiddlewareHandler<AppEnv> {
  return function limitTogether(c, next) {
    refuseFor(limiter.take(clientOf(c, proxies)))
    return next()
  }
}

/**
 * Limits the calls of a group of routes by client address, and then by the token in their path: many addresses may send
 * to one webhook. The routes share their counters. The token is counted by its digest, whether it is valid or not.
 */
export function limitTokens(
  limiter: MovingWindowLimiter,
  proxies: TrustedProxies,
): MiddlewareHandler<AppEnv> {
  return function limitTokens(c, next) {
    const wait =
      limiter.take(`address ${clientOf(c, proxies)}`) ||
      limiter.take(`token ${sha256Hex(c.req.param('token') ?? '')}`)
    refuseFor(wait, { result: 'rate_limited' })
    return next()
  }
}

const WRONG_CREDENTIALS: readonly ErrorCode[] = ['unauthenticated', 'not_found']

/**
 * Limits the calls with wrong credentials of each route by client address. While an address is over the limit,
 * none of its calls is looked at, so a guess that is right is not learned. The handler checks its credentials with
 * `checkCredentials`, which looks at the limit again and counts a wrong one in the same turn: guesses that are sent at once
 * count each other, and a call whose credentials are right never counts, however long its answer takes.
 */
export function limitGuesses(
  limiter: MovingWindowLimiter,
  proxies: TrustedProxies,
): MiddlewareHandler<AppEnv> {
  return function limitGuesses(c, next) {
    const key = keyOf(c, proxies)
    refuseFor(limiter.wait(key))
    c.set('checkCredentials', (check) => {
      refuseFor(limiter.wait(key))
      try {
        return check()
      } catch (error) {
        const code = serviceErrorIn(error)?.code
        if (code !== undefined && WRONG_CREDENTIALS.includes(code)) limiter.take(key)
        throw error
      }
    })
    return next()
  }
}

/** @throws ServiceError `rate_limited` for any wait above 0 */
function refuseFor(waitMs: number, extra: Record<string, unknown> = {}): void {
  if (waitMs === 0) return
  throw new ServiceError('rate_limited', 'Rate limit exceeded. Please slow down your requests.', {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    extra,
  })
}

/** Returns the counter of a call: the one of its client on its route. */
function keyOf(c: Context<AppEnv>, proxies: TrustedProxies): string {
  return `${clientOf(c, proxies)} ${routeOf(c)}`
}

/** Returns the client of a call, or the network of its client. */
function clientOf(c: Context<AppEnv>, proxies: TrustedProxies): string {
  return addressGroup(callerAddress(callOf(c), proxies))
}

/** Returns the pattern of the route that will answer, so that different ids in a path share one counter. */
function routeOf(c: Context<AppEnv>): string {
  return matchedRoutes(c).find(({ method }) => method !== METHOD_NAME_ALL)?.path ?? ''
}
