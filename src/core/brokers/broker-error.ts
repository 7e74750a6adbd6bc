import { type ErrorCode, type ErrorReason, PublicError, ServiceError } from '../errors/index.js'

export type BrokerErrorKind =
  | 'auth'
  | 'permission'
  /** Orders from this address are refused. The session stays valid, and everything else works. */
  | 'ip_not_allowed'
  | 'rate_limit'
  | 'rejected'
  | 'validation'
  | 'not_found'
  | 'unsupported'
  | 'unavailable'
  | 'network'
  | 'protocol'

/** The only error a plugin throws. `sent` decides whether an order is refused or in doubt. */
export class BrokerError extends PublicError {
  readonly kind: BrokerErrorKind
  /** The HTTP status of the broker's answer, if there was one. */
  readonly brokerStatus: number | undefined
  readonly brokerCode: string | undefined
  /**
   * Says if the request reached the broker: `never`, `maybe` (timeout, reset, 5xx), `yes` (the broker
   * responded).
   */
  readonly sent: 'never' | 'maybe' | 'yes'
  readonly retryAfterMs: number | undefined
  /**
   * True if a change that takes several calls failed after its first one. `sent` is then `maybe`, and the message says which
   * part is done.
   */
  readonly isHalfDone: boolean

  constructor(
    kind: BrokerErrorKind,
    message: string,
    details: {
      brokerStatus?: number | undefined
      brokerCode?: string | undefined
      sent: 'never' | 'maybe' | 'yes'
      retryAfterMs?: number | undefined
      isHalfDone?: boolean
      cause?: unknown
    },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'BrokerError'
    this.kind = kind
    this.brokerStatus = details.brokerStatus
    this.brokerCode = details.brokerCode
    this.sent = details.sent
    this.retryAfterMs = details.retryAfterMs
    this.isHalfDone = details.isHalfDone ?? false
  }
}

/** The error code of each kind. */
const CODE_OF_KIND: Readonly<Record<BrokerErrorKind, ErrorCode>> = {
  auth: 'forbidden',
  permission: 'forbidden',
  ip_not_allowed: 'forbidden',
  rate_limit: 'rate_limited',
  rejected: 'broker_rejected',
  validation: 'broker_rejected',
  not_found: 'not_found',
  unsupported: 'unsupported',
  unavailable: 'unavailable',
  network: 'unavailable',
  protocol: 'broker_protocol',
}

/** The reason of an error without an answer of the broker, where the code does not give it. */
const REASON_OF_KIND: Readonly<Partial<Record<BrokerErrorKind, ErrorReason>>> = {
  auth: 'no_broker_session',
  rejected: 'plugin_refused',
  validation: 'plugin_refused',
  network: 'broker_unreachable',
}

/** Returns the service's error for a plugin's error, with its facts and the given text. */
export function serviceErrorFor(error: BrokerError, message: string): ServiceError {
  const { brokerCode, brokerStatus, kind, retryAfterMs, sent } = error
  const hasAnswered = sent === 'yes' || brokerCode !== undefined
  return new ServiceError(CODE_OF_KIND[kind], message, {
    reason: hasAnswered ? 'broker_refused' : REASON_OF_KIND[kind],
    brokerStatus,
    retryAfterSeconds: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000),
  })
}

/** Converts a plugin's error to the service's error, for everything except orders. */
export function brokerFailure(error: unknown): unknown {
  return error instanceof BrokerError ? serviceErrorFor(error, error.message) : error
}
