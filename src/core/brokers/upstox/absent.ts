import { BrokerError, type BrokerErrorKind } from '../broker.js'

/** What Upstox answers for an order, a GTT or a tag that is not of this account, or not of this day. */
const ABSENT: ReadonlySet<BrokerErrorKind> = new Set(['not_found', 'rejected', 'validation'])

/** Returns what a read finds; undefined if Upstox does not know what it is about. */
export async function orAbsent<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof BrokerError && error.sent === 'yes' && ABSENT.has(error.kind)) return undefined
    throw error
  }
}
