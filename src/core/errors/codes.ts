/** The exit status of the CLI for a code, and the meaning of the code. */
interface ErrorMeaning {
  exit: number
  /** One line for the documentation and `svc help exit-codes`. */
  meaning: string
}

/**
 * Every kind of error of the service. The CLI and the documentation read this table. The daemon derives the
 * HTTP status of an answer from the code (`src/daemon/http/response/error-status.ts`).
 */
export const ERROR_CODES = {
  validation: {
    exit: 2,
    meaning: 'The request is malformed: a field is missing, unknown or out of range.',
  },
  refused: {
    exit: 5,
    meaning: 'A rule of the service or the sandbox refused the request. Nothing was executed.',
  },
  risk_refused: {
    exit: 5,
    meaning: 'The pre-trade risk gate refused the order. Nothing was executed.',
  },
  kill_switch: { exit: 5, meaning: 'The kill switch is on: no new order is sent.' },
  price_stale: {
    exit: 5,
    meaning: 'The last price is older than the risk gate allows for this order. Nothing was executed.',
  },
  not_pending: { exit: 5, meaning: 'The approval is no longer pending.' },
  not_as_shown: {
    exit: 5,
    meaning: 'The approval would send something else than the request says was shown. It stays pending.',
  },
  conflict: {
    exit: 5,
    meaning: 'The request conflicts with an earlier request or with the current state.',
  },
  unauthenticated: { exit: 3, meaning: 'Not signed in, or the session has ended.' },
  forbidden: { exit: 3, meaning: 'The credential does not allow this.' },
  reauthentication_required: {
    exit: 3,
    meaning: 'The act is dangerous and needs your password again. Nothing was executed.',
  },
  invalid_key: { exit: 3, meaning: 'The API key is unknown or revoked.' },
  not_found: { exit: 4, meaning: 'The requested resource does not exist.' },
  broker_missing: { exit: 1, meaning: 'The broker plugin of this account cannot be loaded.' },
  method_not_allowed: { exit: 1, meaning: 'The path exists, but not for this method.' },
  too_large: { exit: 2, meaning: 'The body is larger than the route accepts.' },
  unsupported_media: { exit: 2, meaning: 'The body is not JSON.' },
  rate_limited: { exit: 6, meaning: 'Too many requests; wait and try again.' },
  broker_rejected: {
    exit: 5,
    meaning: 'The broker refused the order. If the broker sent an error status, that status is returned.',
  },
  unsupported: { exit: 1, meaning: 'The broker or the service does not support this.' },
  broker_protocol: { exit: 1, meaning: 'The response of the broker cannot be read.' },
  unavailable: { exit: 1, meaning: 'Not ready, stopping or overloaded; nothing was executed.' },
  request_expired: {
    exit: 1,
    meaning:
      'The deadline of the request (X-Request-Timeout) passed before it was executed. Nothing was sent.',
  },
  not_received: {
    exit: 1,
    meaning:
      'The broker never received the order. Nothing was executed. Send it again under a new Idempotency-Key; a close also under its first.',
  },
  outcome_unknown: {
    exit: 8,
    meaning: 'The order may have reached the broker. Do not retry blindly: follow the order reference.',
  },
  storage_full: { exit: 1, meaning: 'The disk is full or failing; nothing was executed.' },
  internal: { exit: 1, meaning: 'A fault of the service. The log has the details.' },
} as const satisfies Record<string, ErrorMeaning>

export type ErrorCode = keyof typeof ERROR_CODES
