import { BrokerError, type BrokerErrorKind } from '../broker.js'

type Sent = 'never' | 'maybe' | 'yes'

/** An error response of Kite: `{status: "error", message, error_type}`. */
export interface KiteRefusal {
  message: string
  errorType: string
}

/**
 * The kind of each `error_type`, and whether it proves that nothing was executed. Three types prove nothing:
 * the gateway lost the order system, could not read its response, or does not know the outcome.
 */
const BY_ERROR_TYPE: Readonly<Record<string, { kind: BrokerErrorKind; proves: boolean }>> = {
  TokenException: { kind: 'auth', proves: true },
  PermissionException: { kind: 'permission', proves: true },
  UserException: { kind: 'permission', proves: true },
  InputException: { kind: 'validation', proves: true },
  OrderException: { kind: 'rejected', proves: true },
  MarginException: { kind: 'rejected', proves: true },
  HoldingException: { kind: 'rejected', proves: true },
  NetworkException: { kind: 'unavailable', proves: false },
  DataException: { kind: 'protocol', proves: false },
  GeneralException: { kind: 'unavailable', proves: false },
}

/** Statuses that always mean a refusal: the request was turned away before it reached the order system. */
const BY_REFUSING_STATUS: Readonly<Record<number, BrokerErrorKind>> = {
  404: 'not_found',
  405: 'unsupported',
  410: 'unsupported',
  429: 'rate_limit',
}

/** The kind of a status whose body has no known error type. */
const BY_STATUS: Readonly<Record<number, BrokerErrorKind>> = {
  400: 'rejected',
  401: 'auth',
  403: 'permission',
  500: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

/**
 * Returns the error for an unsuccessful response. `refusal` is Kite's error envelope; undefined if the body
 * is something else (a gateway's page). After a 5xx, or any unreadable body, it is unknown whether an order
 * exists.
 */
export function kiteError(
  call: string,
  status: number,
  refusal: KiteRefusal | undefined,
  retryAfter?: string | undefined,
): BrokerError {
  const retryAfterSeconds = Number(retryAfter)
  return new BrokerError(
    kindOf(status, refusal),
    refusal?.message || `The broker answered with status ${status} and no reason.`,
    {
      // The route is only for the log.
      cause: `${call}: HTTP ${status}`,
      // A 2xx with an error body has no useful status.
      brokerStatus: status >= 400 ? status : undefined,
      brokerCode: refusal?.errorType || undefined,
      sent: sentOf(status, refusal),
      retryAfterMs: retryAfter && retryAfterSeconds >= 0 ? retryAfterSeconds * 1000 : undefined,
    },
  )
}

/** Returns the error for a success that cannot be parsed: the order may exist. */
export function unreadable(call: string, what: string): BrokerError {
  return new BrokerError('protocol', `${call}: ${what}`, { sent: 'maybe' })
}

/** Returns the error for a request that was never sent. */
export function notSent(kind: 'validation' | 'unsupported' | 'unavailable', message: string): BrokerError {
  return new BrokerError(kind, message, { sent: 'never' })
}

/** Kite refuses orders from an address that the app does not name as it refuses anything else that is not permitted. */
const ADDRESS_REFUSED = /\bIPs?\b/i

function kindOf(status: number, refusal: KiteRefusal | undefined): BrokerErrorKind {
  const known = refusal && BY_ERROR_TYPE[refusal.errorType]
  if (refusal?.errorType === 'PermissionException' && ADDRESS_REFUSED.test(refusal.message))
    return 'ip_not_allowed'
  return BY_REFUSING_STATUS[status] ?? known?.kind ?? BY_STATUS[status] ?? 'protocol'
}

function sentOf(status: number, refusal: KiteRefusal | undefined): Sent {
  if (status === 429) return 'yes'
  if (status >= 500 || !refusal) return 'maybe'
  if (BY_REFUSING_STATUS[status]) return 'yes'
  return BY_ERROR_TYPE[refusal.errorType]?.proves ? 'yes' : 'maybe'
}
