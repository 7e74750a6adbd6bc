import { type BlockedOperation, ORDER_OPERATIONS } from '../../operations/index.js'
import type { TradingMode } from '../../risk/index.js'
import type { PlaceContext, QueuePort } from '../ports.js'
import { failure, type OrderResult } from '../result.js'

/** Whether the user's own orders wait for approval. */
function isSemiAuto(queue: Pick<QueuePort, 'shouldQueue'>, userId: string): boolean {
  return queue.shouldQueue(userId, 'placeorder')
}

/**
 * The refusal of an operation that semi-auto mode blocks, whoever asks for it; only an approval passes, because a
 * person has seen it. Analyzer mode blocks nothing.
 */
export function blockedInSemiAuto(
  operation: BlockedOperation,
  mode: TradingMode,
  { source, userId }: PlaceContext,
  queue: Pick<QueuePort, 'shouldQueue'>,
): OrderResult | undefined {
  if (mode === 'analyze' || source === 'approval' || !isSemiAuto(queue, userId)) return undefined
  return failure('forbidden', 403, ORDER_OPERATIONS[operation].blocked)
}
