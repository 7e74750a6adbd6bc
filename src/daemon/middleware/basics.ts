import type { Context, MiddlewareHandler } from 'hono'
import type { AppEnv } from '../env.js'
import { DaemonResponse, standingHeaders } from '../http/response.js'

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
    const { outgoing } = c.env
    if (outgoing instanceof DaemonResponse) outgoing.requestId = requestId
    else for (const [name, value] of Object.entries(standingHeaders(requestId))) c.header(name, value)
    for (const check of checks) check(c)
    return next()
  }
}
