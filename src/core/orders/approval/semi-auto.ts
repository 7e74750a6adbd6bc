import type { TradingMode } from '../../risk/index.js'
import type { PlaceContext, QueuePort } from '../ports.js'
import { failure, type OrderResult } from '../result.js'

/** What a user whose orders wait for approval may not do to live orders (contract, api-orders 5.3 to 5.6, 8.2). */
const BLOCKED = {
  modifyorder:
    'Modify order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to modify orders.',
  cancelorder:
    'Cancel order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
  cancelallorder:
    'Cancel all orders operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
  closeposition:
    'Close position operation is not allowed in Semi-Auto mode. Please switch to Auto mode to close positions.',
  modifygttorder: 'Modify GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.',
  cancelgttorder: 'Cancel GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.',
} as const

export type BlockedOperation = keyof typeof BLOCKED

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
  return failure('forbidden', 403, BLOCKED[operation])
}
