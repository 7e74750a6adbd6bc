import { ServiceError } from '../errors/index.js'

/** Returns the error with a prefix before its text. Code and status stay the same. */
export function withPrefix(error: unknown, prefix: string): unknown {
  if (!(error instanceof ServiceError)) return error
  const { brokerStatus, code, httpStatus, message, retryAfterSeconds } = error
  return new ServiceError(code, prefix + message, {
    brokerStatus,
    httpStatus,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: error,
  })
}

/** Returns the error for a missing price. The public API answers it with status 500. */
export function priceMissing(message: string): ServiceError {
  return new ServiceError('unavailable', message, { httpStatus: 500 })
}

export function symbolMissing(symbol: string, venue: string): ServiceError {
  return new ServiceError(
    'not_found',
    `Option symbol ${symbol} not found in ${venue}. Symbol may not exist or master contract needs update.`,
  )
}
