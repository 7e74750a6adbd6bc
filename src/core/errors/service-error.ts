import type { ErrorCode } from './codes.js'
import type { ErrorFacts, ErrorReason } from './facts.js'

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

/** An error with a text for the caller. The texts of all other errors are only logged. */
export class PublicError extends Error {}

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
    this.errors = options.errors
    this.extra = options.extra ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Returns a validation error. Its message is a sentence with the name of the first field. */
export function validationError(errors: FieldErrors, extra?: Record<string, unknown>): ServiceError {
  const [field, texts] = Object.entries(errors)[0] ?? ['request', ['Invalid input.']]
  const message = `${field}: ${texts[0] ?? 'Invalid input.'}`
  return new ServiceError('validation', message, extra ? { errors, extra } : { errors })
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
