import { ServiceError } from '../errors/index.js'

/** Returns the error with a prefix before its text. Its facts stay the same. */
export function withPrefix(error: unknown, prefix: string): unknown {
  if (!(error instanceof ServiceError)) return error
  const { brokerStatus, code, message, reason, retryAfterSeconds } = error
  return new ServiceError(code, prefix + message, {
    brokerStatus,
    reason,
    retryAfterSeconds,
    cause: error,
  })
}

/** Returns the error for a missing price. */
export function priceMissing(message: string): ServiceError {
  return new ServiceError('unavailable', message, { reason: 'no_price' })
}

export function symbolMissing(symbol: string, venue: string): ServiceError {
  return new ServiceError(
    'not_found',
    `Option symbol ${symbol} not found in ${venue}. Symbol may not exist or master contract needs update.`,
  )
}
