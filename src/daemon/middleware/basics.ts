import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../env.js'

/** Headers every response carries (contract, session API 8.2); there are no pages, so nothing may be framed or run. */
const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Cache-Control', 'no-store'],
]

/** Numbers requests, so that an answer, its log lines and a bug report can be put together. */
export function requestBasics(newRequestId: () => string): MiddlewareHandler<AppEnv> {
  return async function requestBasics(c, next) {
    const requestId = newRequestId()
    c.set('requestId', requestId)
    // Before the answer is made: adding a header to a finished one would build it a second time.
    c.header('X-Request-Id', requestId)
    for (const [name, value] of SECURITY_HEADERS) c.header(name, value)
    await next()
  }
}
