import type { ErrorCode } from './codes.js'
import type { ErrorFacts, ErrorReason } from './facts.js'

/** A reason not to do something now. */
export interface Refusal {
  code: ErrorCode
  message: string
}

/**
 * Returns why an act must not happen any more, for example because its caller has stopped waiting; undefined when it
 * may. Whoever acts asks at the moment of the decision, so that nothing can change in between.
 */
export type Veto = () => Refusal | undefined

/** Error texts by field path (`legs.2.offset`), as in the body of a validation error. */
export type FieldErrors = Record<string, string[]>

export interface ServiceErrorOptions extends Omit<ErrorFacts, 'code'> {
  /** Texts by field; only with code `validation`. */
  errors?: FieldErrors
  /** Additional fields of the response body (`orderid`, `mode`, `retry_after`, …). Never a secret. */
  extra?: Record<string, unknown>
  /** Seconds after which a retry makes sense. */
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

/** The longest message. A message longer than this repeats a value that the caller sent. */
const MAX_MESSAGE_LENGTH = 2000
/** The part of a long message that is kept from its end, where the rule often is. */
const KEPT_END = 500

/** An error with a text for the caller. The texts of all other errors are only logged. */
export class PublicError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    super(message === undefined ? undefined : shortened(message), options)
  }
}

/** Returns a text with the middle of a long value cut out. */
function shortened(text: string): string {
  if (text.length <= MAX_MESSAGE_LENGTH) return text
  const left = text.length - MAX_MESSAGE_LENGTH
  const start = text.slice(0, MAX_MESSAGE_LENGTH - KEPT_END)
  return `${start} … (${left} characters left out) … ${text.slice(-KEPT_END)}`
}

/**
 * The one error type of the core. It has a code and a sentence for the user. The code decides the exit status
 * of the CLI, and with the other facts the HTTP status. Any other thrown error is a fault of the service.
 */
export class ServiceError extends PublicError implements ErrorFacts {
  readonly code: ErrorCode
  readonly reason: ErrorReason | undefined
  readonly brokerStatus: number | undefined
  readonly errors: FieldErrors | undefined
  readonly extra: Record<string, unknown>
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.reason = options.reason
    this.brokerStatus = options.brokerStatus
    this.errors = options.errors && shortenedTexts(options.errors)
    this.extra = options.extra ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

function shortenedTexts(errors: FieldErrors): FieldErrors {
  return Object.fromEntries(Object.entries(errors).map(([field, texts]) => [field, texts.map(shortened)]))
}

/** Returns a validation error. Its message is a sentence with the name of the first field. */
export function validationError(errors: FieldErrors, extra?: Record<string, unknown>): ServiceError {
  const [field, texts] = Object.entries(errors)[0] ?? ['request', ['Invalid input.']]
  const message = `${field}: ${texts[0] ?? 'Invalid input.'}`
  return new ServiceError('validation', message, extra ? { errors, extra } : { errors })
}

/**
 * Returns the service error behind something thrown: itself, or its cause, because drizzle wraps the error of
 * a query in its own.
 */
export function serviceErrorIn(thrown: unknown): ServiceError | undefined {
  if (thrown instanceof ServiceError) return thrown
  return thrown instanceof Error && thrown.cause !== undefined ? serviceErrorIn(thrown.cause) : undefined
}

/**
 * Returns the text of a thrown error that a caller may see: the error's own text if it is public, a general
 * one otherwise.
 */
export function publicMessageOf(thrown: unknown, otherwise = 'An unexpected error occurred'): string {
  return (thrown instanceof PublicError && thrown.message) || otherwise
}

/** Returns the message of anything thrown, for logs. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
