import type { ContentfulStatusCode } from 'hono/utils/http-status'
import {
  type ErrorCode,
  type ErrorFacts,
  type ErrorReason,
  ServiceError,
  type ServiceErrorOptions,
} from '../../../core/errors/index.js'

/** The usual status of each error code. */
export const STATUS_OF_CODE: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  validation: 400,
  refused: 400,
  risk_refused: 403,
  kill_switch: 403,
  price_stale: 403,
  not_pending: 400,
  not_as_shown: 409,
  conflict: 409,
  unauthenticated: 401,
  forbidden: 403,
  reauthentication_required: 403,
  invalid_key: 403,
  not_found: 404,
  broker_missing: 404,
  method_not_allowed: 405,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  broker_rejected: 500,
  unsupported: 501,
  broker_protocol: 502,
  unavailable: 503,
  request_expired: 503,
  not_received: 503,
  outcome_unknown: 504,
  storage_full: 507,
  internal: 500,
}

/** The status of each reason. It takes precedence over the status of the code. */
const STATUS_OF_REASON: Readonly<Record<ErrorReason, ContentfulStatusCode>> = {
  broker_refused: 500,
  plugin_refused: 400,
  no_broker_session: 401,
  broker_unreachable: 500,
  not_listed: 400,
  no_price: 500,
  no_api_key: 500,
  message_refused: 500,
}

/** A refusal of the HTTP layer itself, with a status that its code does not give. */
export class HttpRefusal extends ServiceError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly status: ContentfulStatusCode,
    options: ServiceErrorOptions = {},
  ) {
    super(code, message, options)
  }
}

/**
 * Returns the HTTP status of a failure. An error status of the broker takes precedence over everything else.
 * A broker may also send a refusal under a success status, which is ignored.
 */
export function errorStatusOf(failure: ErrorFacts): ContentfulStatusCode {
  if (failure instanceof HttpRefusal) return failure.status
  const { brokerStatus, code, reason } = failure
  // Hono's type lists only the known statuses, and a broker may answer with any number.
  if (isErrorStatus(brokerStatus)) return brokerStatus as ContentfulStatusCode
  return reason === undefined ? STATUS_OF_CODE[code] : STATUS_OF_REASON[reason]
}

function isErrorStatus(status: number | undefined): status is number {
  return status !== undefined && status >= 400 && status <= 599
}
