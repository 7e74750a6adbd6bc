/** The effect of a code: the HTTP status of the API and the exit status of the CLI. */
export interface ErrorMeaning {
  http: number
  exit: number
  /** One line for the documentation and `svc help exit-codes`. */
  meaning: string
}

/**
 * Every kind of error of the service. The HTTP layer, the CLI and the documentation read this table. An error
 * with its own status (from a broker) keeps it; all others use the status of this table.
 */
export const ERROR_CODES = {
  validation: {
    http: 400,
    exit: 2,
    meaning: 'The request is malformed: a field is missing, unknown or out of range.',
  },
  refused: {
    http: 400,
    exit: 5,
    meaning: 'A rule of the service or the sandbox refused the request. Nothing was executed.',
  },
  risk_refused: {
    http: 403,
    exit: 5,
    meaning: 'The pre-trade risk gate refused the order. Nothing was executed.',
  },
  kill_switch: { http: 403, exit: 5, meaning: 'The kill switch is on: no new order is sent.' },
  price_stale: {
    http: 403,
    exit: 5,
    meaning: 'The last price is older than the risk gate allows for this order. Nothing was executed.',
  },
  not_pending: { http: 400, exit: 5, meaning: 'The approval is no longer pending.' },
  conflict: {
    http: 409,
    exit: 5,
    meaning: 'The request conflicts with an earlier request or with the current state.',
  },
  unauthenticated: { http: 401, exit: 3, meaning: 'Not signed in, or the session has ended.' },
  forbidden: { http: 403, exit: 3, meaning: 'The credential does not allow this.' },
  invalid_key: { http: 403, exit: 3, meaning: 'The API key is unknown or revoked.' },
  not_found: { http: 404, exit: 4, meaning: 'The requested resource does not exist.' },
  broker_missing: { http: 404, exit: 1, meaning: 'The broker plugin of this account cannot be loaded.' },
  method_not_allowed: { http: 405, exit: 1, meaning: 'The path exists, but not for this method.' },
  too_large: { http: 413, exit: 2, meaning: 'The body is larger than the route accepts.' },
  unsupported_media: { http: 415, exit: 2, meaning: 'The body is not JSON.' },
  rate_limited: { http: 429, exit: 6, meaning: 'Too many requests; wait and try again.' },
  broker_rejected: {
    http: 500,
    exit: 5,
    meaning: 'The broker refused the order. If the broker sent an error status, that status is returned.',
  },
  unsupported: { http: 501, exit: 1, meaning: 'The broker or the service does not support this.' },
  broker_protocol: { http: 502, exit: 1, meaning: 'The response of the broker cannot be read.' },
  unavailable: { http: 503, exit: 1, meaning: 'Not ready, stopping or overloaded; nothing was executed.' },
  request_expired: {
    http: 503,
    exit: 1,
    meaning:
      'The deadline of the request (X-Request-Timeout) passed before it was executed. Nothing was sent.',
  },
  not_received: {
    http: 503,
    exit: 1,
    meaning: 'The broker never received the order. Nothing was executed. A new request may send it again.',
  },
  outcome_unknown: {
    http: 504,
    exit: 8,
    meaning: 'The order may have reached the broker. Do not retry blindly: follow the order reference.',
  },
  storage_full: { http: 507, exit: 1, meaning: 'The disk is full or failing; nothing was executed.' },
  internal: { http: 500, exit: 1, meaning: 'A fault of the service. The log has the details.' },
} as const satisfies Record<string, ErrorMeaning>

export type ErrorCode = keyof typeof ERROR_CODES
