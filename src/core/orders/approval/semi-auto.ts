import { type BlockedOperation, ORDER_OPERATIONS } from '../../operations/index.js'
import type { TradingMode } from '../../risk/index.js'
import type { PlaceContext, QueuePort } from '../ports.js'
import { failure, type OrderResult } from '../result.js'

/** Whether the user's own orders wait for approval. */
function isSemiAuto(queue: Pick<QueuePort, 'shouldQueue'>, userId: string): boolean {
  return queue.shouldQueue(userId, 'placeorder')
}

/** The refusal of a change while orders of its user wait for approval, whoever asks for it; never in Analyzer mode. */
export function blockedInSemiAuto(
  operation: BlockedOperation,
  mode: TradingMode,
  { userId }: PlaceContext,
  queue: Pick<QueuePort, 'shouldQueue'>,
): OrderResult | undefined {
  if (mode === 'analyze' || !isSemiAuto(queue, userId)) return undefined
  return failure('forbidden', 403, ORDER_OPERATIONS[operation].blocked)
}
