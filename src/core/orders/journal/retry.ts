import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { NOT_SENT } from '../end.js'
import type { QueuePort } from '../ports.js'
import { failure, type OrderResult } from '../result.js'
import type { StoredKey } from './idempotency.js'
import { isRecent } from './result.js'

/** What a retry under a key asks before it executes an Analyzer order that a crash kept from the sandbox. */
export interface RetryParts {
  clock: Pick<Clock, 'now'>
  queue: Pick<QueuePort, 'shouldQueue'>
  ports: { mode(): TradingMode }
}

/**
 * Why a retry does not execute such an order: it comes too late, or the user has switched the mode or the order mode
 * since. Live orders meet the same rules when they are sent. The risk gate is asked afterwards.
 */
export function retryObjection(
  { clock, queue, ports }: RetryParts,
  { createdAt, userId }: StoredKey,
  operation: string,
): OrderResult | undefined {
  if (!isRecent(createdAt, clock.now())) return failure('unavailable', 503, NOT_SENT)
  if (ports.mode() !== 'analyze') {
    return failure('conflict', 409, 'The mode was changed before the order was sent; it was not sent.')
  }
  if (queue.shouldQueue(userId, operation)) {
    return failure('conflict', 409, 'Orders need approval since before this one was sent; it was not sent.')
  }
  return undefined
}
