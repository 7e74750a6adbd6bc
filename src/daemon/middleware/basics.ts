import type { Context, MiddlewareHandler } from 'hono'
import { DaemonResponse, fixedHeaders } from '../http/response/response.js'
import type { AppEnv } from '../process/env.js'

/** A check that a request must pass before its route runs. @throws ServiceError */
export type Check = (c: Context<AppEnv>) => void

/**
 * Gives each request an id, so that its answer, log lines and bug report can be matched, and runs the checks.
 */
export function requestBasics(
  newRequestId: () => string,
  checks: readonly Check[],
): MiddlewareHandler<AppEnv> {
  return function requestBasics(c, next) {
    const requestId = newRequestId()
    c.set('requestId', requestId)
    const { outgoing } = c.env
    if (outgoing instanceof DaemonResponse) outgoing.requestId = requestId
    else for (const [name, value] of Object.entries(fixedHeaders(requestId))) c.header(name, value)
    for (const check of checks) check(c)
    return next()
  }
}
