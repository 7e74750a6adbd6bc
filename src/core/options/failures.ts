import { ServiceError } from '../errors/index.js'

/** A failure with a prefix before its text; its code and status stay. */
export function explained(error: unknown, prefix: string): unknown {
  if (!(error instanceof ServiceError)) return error
  const { code, httpStatus, message, retryAfterSeconds } = error
  return new ServiceError(code, prefix + message, {
    httpStatus,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: error,
  })
}

/** A price nobody told us: the contract's own status for it. */
export function priceMissing(message: string): ServiceError {
  return new ServiceError('unavailable', message, { httpStatus: 500 })
}

export function symbolMissing(symbol: string, venue: string): ServiceError {
  return new ServiceError(
    'not_found',
    `Option symbol ${symbol} not found in ${venue}. Symbol may not exist or master contract needs update.`,
  )
}
