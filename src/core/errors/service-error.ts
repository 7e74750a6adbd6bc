import { ERROR_CODES, type ErrorCode } from './codes.js'

/** Error texts by field path (`legs.2.offset`), as in the body of a validation error. */
export type FieldErrors = Record<string, string[]>

export interface ServiceErrorOptions {
  /** The status of a broker's refusal. It takes precedence over the other two. */
  brokerStatus?: number | undefined
  /** The status of the answer where the public API differs from the code; otherwise that of the code applies. */
  httpStatus?: number
  /** Texts by field; only with code `validation`. */
  errors?: FieldErrors
  /** Additional fields of the response body (`orderid`, `mode`, `retry_after`, …). Never a secret. */
  extra?: Record<string, unknown>
  /** Seconds after which a retry makes sense (429, 503). */
  retryAfterSeconds?: number
  cause?: unknown
}

/** An error with a text for the caller. The texts of all other errors are only logged. */
export class PublicError extends Error {}

/**
 * The one error type of the core. It has a code and a sentence for the user. The table of codes gives its
 * HTTP status and exit status. Any other thrown error is a fault of the service.
 */
export class ServiceError extends PublicError {
  readonly code: ErrorCode
  readonly brokerStatus: number | undefined
  readonly httpStatus: number
  readonly errors: FieldErrors | undefined
  readonly extra: Record<string, unknown>
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.brokerStatus = options.brokerStatus
    this.httpStatus = options.brokerStatus ?? options.httpStatus ?? ERROR_CODES[code].http
    this.errors = options.errors
    this.extra = options.extra ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  /** The status of a broker or of the public API; undefined when the status of the code applies. */
  get ownStatus(): number | undefined {
    return this.httpStatus === ERROR_CODES[this.code].http ? undefined : this.httpStatus
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
