import type { ErrorCode } from './codes.js'

/** The cause of an error, where the daemon answers it with another status than the usual one of its code. */
export type ErrorReason =
  /** The broker answered with a refusal. */
  | 'broker_refused'
  /** The broker plugin refused the request before it was sent. */
  | 'plugin_refused'
  /** The broker session is missing or has ended. */
  | 'no_broker_session'
  /** The broker was not reached, or its answer was lost. */
  | 'broker_unreachable'
  /** The symbol of a request is not in the instrument table. */
  | 'not_listed'
  /** An option or its underlying has no price now. */
  | 'no_price'
  /** The user has no API key, which holds the order mode. */
  | 'no_api_key'
  /** Telegram refused a message for good. */
  | 'message_refused'

/** The facts of a failure from which the daemon derives the status of its answer. */
export interface ErrorFacts {
  code: ErrorCode
  reason?: ErrorReason | undefined
  /** The HTTP status of the broker's own answer, if there was one. */
  brokerStatus?: number | undefined
}

/** Returns the facts of an error. Facts that it does not have are left out. */
export function factsOf({ brokerStatus, code, reason }: ErrorFacts): ErrorFacts {
  return {
    code,
    ...(reason !== undefined && { reason }),
    ...(brokerStatus !== undefined && { brokerStatus }),
  }
}
