import { BrokerError, type BrokerErrorKind } from '../../broker.js'

/** The kinds of refusals with which brokers answer a read of something that is not of this account, or not of this day. */
const ABSENT: ReadonlySet<BrokerErrorKind> = new Set(['not_found', 'rejected', 'validation'])

/**
 * Returns what a read finds; undefined if the broker does not know what it is about. Only its own refusal proves that: not an
 * answer of its gateway, nor a request that was never sent.
 */
export async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof BrokerError && error.sent === 'yes' && ABSENT.has(error.kind)) return undefined
    throw error
  }
}
