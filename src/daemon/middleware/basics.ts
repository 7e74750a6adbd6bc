import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../env.js'

/** Headers every response carries (contract, session API 8.2); there are no pages, so nothing may be framed or run. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Cache-Control', 'no-store'],
]

/** What a request must pass before its route is asked. @throws ServiceError */
export type Check = (c: Context<AppEnv>) => void

/** Numbers requests, so that an answer, its log lines and a bug report can be put together, and checks them. */
export function requestBasics(
  newRequestId: () => string,
  checks: readonly Check[],
): MiddlewareHandler<AppEnv> {
  return function requestBasics(c, next) {
    const requestId = newRequestId()
    c.set('requestId', requestId)
    const setHeader = headerSetter(c)
    setHeader('X-Request-Id', requestId)
    for (const [name, value] of SECURITY_HEADERS) setHeader(name, value)
    for (const check of checks) check(c)
    return next()
  }
}

/**
 * Straight to the server's own response, where there is one: collected in a `Headers` object and copied over,
 * these few lines would cost a quarter of what the whole exchange does.
 */
function headerSetter(c: Context<AppEnv>): (name: string, value: string) => void {
  const { outgoing } = c.env
  return outgoing ? (name, value) => outgoing.setHeader(name, value) : (name, value) => c.header(name, value)
}
