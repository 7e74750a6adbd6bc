import { ERROR_CODES, type ErrorCode } from './codes.js'

/** Texts by field path (`legs.2.offset`), as the validation body carries them. */
export type FieldErrors = Record<string, string[]>

export interface ServiceErrorOptions {
  /** Keeps a status from elsewhere (a broker's); otherwise the code's own. */
  httpStatus?: number
  /** Field texts; only with code `validation`. */
  errors?: FieldErrors
  /** Extra members of the response body (`orderid`, `mode`, `retry_after`, …). Never a secret. */
  extra?: Record<string, unknown>
  /** Seconds after which a retry makes sense (429, 503). */
  retryAfterSeconds?: number
  cause?: unknown
}

/** An error whose text is meant for whoever asked. That of any other is for the log, and for nobody else. */
export class PublicError extends Error {}

/**
 * The one error type of the core. It knows a code, a sentence for the user and, through the table of codes,
 * the HTTP status and the exit status. Anything else that is thrown is a fault of the service.
 */
export class ServiceError extends PublicError {
  readonly code: ErrorCode
  readonly httpStatus: number
  readonly errors: FieldErrors | undefined
  readonly extra: Record<string, unknown>
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.httpStatus = options.httpStatus ?? ERROR_CODES[code].http
    this.errors = options.errors
    this.extra = options.extra ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** A validation error whose message is a sentence naming the first field (contract, decision 1). */
export function validationError(errors: FieldErrors, extra?: Record<string, unknown>): ServiceError {
  const [field, texts] = Object.entries(errors)[0] ?? ['request', ['Invalid input.']]
  const message = `${field}: ${texts[0] ?? 'Invalid input.'}`
  return new ServiceError('validation', message, extra ? { errors, extra } : { errors })
}

/** What may be told of anything thrown: its own text where that is meant to be told. */
export function publicMessageOf(thrown: unknown, otherwise = 'An unexpected error occurred'): string {
  return (thrown instanceof PublicError && thrown.message) || otherwise
}

/** The message of anything thrown, for logs. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
