import { type BlockedOperation, ORDER_OPERATIONS, orderOperation } from '../../operations/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { PlaceContext, QueuePort } from '../ports.js'
import { refusal, type UnplacedResult } from '../result.js'

/** Returns whether the user's orders wait for approval. */
function isSemiAuto(queue: Pick<QueuePort, 'shouldQueue'>, userId: string): boolean {
  return queue.shouldQueue(userId, 'placeorder')
}

/** Returns the refusal of any change by a user in semi-auto mode; undefined in Analyzer mode. */
export function blockedInSemiAuto(
  operation: BlockedOperation,
  mode: TradingMode,
  { userId }: PlaceContext,
  queue: Pick<QueuePort, 'shouldQueue'>,
): UnplacedResult | undefined {
  if (mode === 'analyze' || !isSemiAuto(queue, userId)) return undefined
  return refusal('forbidden', ORDER_OPERATIONS[operation].blocked)
}

/**
 * Returns whether semi-auto mode would queue or refuse a live operation now. The final check before a call to
 * the broker asks it, because the mode may change while the call waits for its slot.
 */
export function heldInSemiAuto(
  queue: Pick<QueuePort, 'shouldQueue'>,
  userId: string,
  operation: string,
): boolean {
  if (orderOperation(operation)?.blocked !== undefined) return isSemiAuto(queue, userId)
  return queue.shouldQueue(userId, operation)
}
