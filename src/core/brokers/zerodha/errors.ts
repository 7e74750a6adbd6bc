import { BrokerError, type BrokerErrorKind } from '../broker.js'

type Sent = 'never' | 'maybe' | 'yes'

/** A refusal as Kite words it: `{status: "error", message, error_type}`. */
export interface KiteRefusal {
  message: string
  errorType: string
}

/**
 * What each `error_type` means, and whether it proves that nothing was executed. The three that do not come
 * from behind the gateway: it lost the order system, could not read its answer, or does not know itself.
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

/** Statuses that are refusals by themselves: the request was turned away before the order system saw it. */
const BY_REFUSING_STATUS: Readonly<Record<number, BrokerErrorKind>> = {
  404: 'not_found',
  405: 'unsupported',
  410: 'unsupported',
  429: 'rate_limit',
}

/** For a status whose body says nothing we know. */
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
 * The error of an answer that is not a success. `refusal` is Kite's own envelope, undefined when the body is
 * something else (a gateway's page). A 5xx, or any body we cannot read, leaves open whether an order exists.
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
      // Which of its routes it was is for the log.
      cause: `${call}: HTTP ${status}`,
      // A 2xx that carries a refusal has no status worth handing on.
      httpStatus: status >= 400 ? status : undefined,
      brokerCode: refusal?.errorType || undefined,
      sent: sentOf(status, refusal),
      retryAfterMs: retryAfter && retryAfterSeconds >= 0 ? retryAfterSeconds * 1000 : undefined,
    },
  )
}

/** The error of a success that cannot be understood: the order may stand. */
export function unreadable(call: string, what: string): BrokerError {
  return new BrokerError('protocol', `${call}: ${what}`, { sent: 'maybe' })
}

/** The error of a request that was never written. */
export function notSent(kind: 'validation' | 'unsupported', message: string): BrokerError {
  return new BrokerError(kind, message, { sent: 'never' })
}

function kindOf(status: number, refusal: KiteRefusal | undefined): BrokerErrorKind {
  const known = refusal && BY_ERROR_TYPE[refusal.errorType]
  return BY_REFUSING_STATUS[status] ?? known?.kind ?? BY_STATUS[status] ?? 'protocol'
}

function sentOf(status: number, refusal: KiteRefusal | undefined): Sent {
  if (status === 429) return 'yes'
  if (status >= 500 || !refusal) return 'maybe'
  if (BY_REFUSING_STATUS[status]) return 'yes'
  return BY_ERROR_TYPE[refusal.errorType]?.proves ? 'yes' : 'maybe'
}
