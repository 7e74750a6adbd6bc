import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { messageOf, ServiceError, serviceErrorIn } from '../../../core/errors/index.js'
import type { Logger } from '../../../core/logging/index.js'
import { publicPath } from '../../../core/telemetry/index.js'
import type { AppEnv } from '../../process/env.js'
import { keepRefusal, type TrailParts } from '../asked-request.js'
import { callerAddress, callOf, type TrustedProxies } from '../client.js'
import { noteRefusal } from '../request.js'
import { errorStatusOf, HttpRefusal } from './error-status.js'

/** The header that carries the error code, for scripts. The CLI derives its exit status from it. */
export const CODE_HEADER = 'X-Svc-Code'

const FAULT = 'An unexpected error occurred'
const FAULT_IN_ENDPOINT = `${FAULT} in the API endpoint`

/** The messages for internal errors on the endpoints where the public API has its own wording. */
const FAULTS: Readonly<Record<string, string>> = {
  '/api/v1/placeorder': FAULT_IN_ENDPOINT,
  '/api/v1/optionsorder': FAULT_IN_ENDPOINT,
  '/api/v1/optionsmultiorder': FAULT_IN_ENDPOINT,
  '/api/v1/margin': FAULT_IN_ENDPOINT,
  '/api/v1/syntheticfuture': FAULT_IN_ENDPOINT,
  '/api/v1/optiongreeks': 'Internal server error while calculating option Greeks',
}

/**
 * Returns the error to send for something thrown. Anything but a `ServiceError` or an `HTTPException` is an
 * internal error: the caller learns that it happened and no detail.
 */
export function refusalFor(c: Context<AppEnv>, thrown: unknown): ServiceError {
  return thrown instanceof HTTPException
    ? fromHttpException(thrown)
    : faultOf(c.req.path.replace(/\/$/, ''), thrown)
}

/** Returns the error for a request to the API that did not come over HTTP, as {@link refusalFor} does. */
export function faultOf(path: string, thrown: unknown): ServiceError {
  return serviceErrorIn(thrown) ?? new ServiceError('internal', FAULTS[path] ?? FAULT, { cause: thrown })
}

interface ErrorParts extends TrailParts {
  log: Logger
}

/**
 * Returns the common error envelope. An internal error is logged in full; the caller gets a short message.
 */
export function errorResponse(c: Context<AppEnv>, thrown: unknown, parts: ErrorParts): Response {
  const { log, proxies } = parts
  const error = refusalFor(c, thrown)
  const isFault = error.code === 'internal' && error.cause !== undefined
  if (isFault) log.error('request.failed', { ...requestFacts(c, proxies), ...faultFacts(error.cause) })
  else if (errorStatusOf(error) >= 500) {
    log.error('request.refused', {
      ...requestFacts(c, proxies),
      code: error.code,
      message: error.message,
    })
  }
  const { code, extra, message } = error
  keepRefusal(c, parts, { code, message, rule: extra?.rule, status: errorStatusOf(error) })
  return reply(c, error)
}

/** Returns the request of an error for the log, without its credentials. */
function requestFacts(c: Context<AppEnv>, proxies: TrustedProxies) {
  return {
    request_id: c.get('requestId'),
    method: c.req.method,
    route: c.req.routePath,
    path: publicPath(c.req.path),
    client_ip: callerAddress(callOf(c), proxies),
  }
}

function faultFacts(fault: unknown) {
  return { error: messageOf(fault), stack: fault instanceof Error ? fault.stack : undefined }
}

function reply(c: Context<AppEnv>, error: ServiceError): Response {
  noteRefusal(c, error.message)
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
    errorStatusOf(error),
  )
}

function fromHttpException(exception: HTTPException): ServiceError {
  const code = exception.status === 413 ? 'too_large' : exception.status === 404 ? 'not_found' : 'validation'
  return new HttpRefusal(code, exception.message || 'Bad request', exception.status)
}
