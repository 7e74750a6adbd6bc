import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { messageOf, ServiceError } from '../../core/errors/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { AppEnv } from '../env.js'

/** The header that tells scripts which kind of refusal it was (the exit status of the CLI follows it). */
export const CODE_HEADER = 'X-Svc-Code'

/** The one error envelope. Anything that is not a ServiceError is our fault: logged in full, told in brief. */
export function errorResponse(c: Context<AppEnv>, thrown: unknown, log: Logger): Response {
  const error = thrown instanceof HTTPException ? fromHttpException(thrown) : thrown
  if (!(error instanceof ServiceError)) {
    log.error('request.failed', {
      request_id: c.get('requestId'),
      method: c.req.method,
      route: c.req.routePath,
      error: messageOf(error),
      stack: error instanceof Error ? error.stack : undefined,
    })
    return reply(c, new ServiceError('internal', 'An unexpected error occurred'))
  }
  if (error.httpStatus >= 500) {
    log.error('request.refused', { request_id: c.get('requestId'), code: error.code, message: error.message })
  }
  return reply(c, error)
}

function reply(c: Context<AppEnv>, error: ServiceError): Response {
  c.header(CODE_HEADER, error.code)
  if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
  return c.json(
    {
      status: 'error',
      message: error.message,
      ...(error.errors && { errors: error.errors }),
      ...(error.retryAfterSeconds !== undefined && { retry_after: error.retryAfterSeconds }),
      ...error.extra,
    },
    error.httpStatus as ContentfulStatusCode,
  )
}

function fromHttpException(exception: HTTPException): ServiceError {
  const code = exception.status === 413 ? 'too_large' : exception.status === 404 ? 'not_found' : 'validation'
  return new ServiceError(code, exception.message || 'Bad request', { httpStatus: exception.status })
}
