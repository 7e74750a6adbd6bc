import type { TradingMode } from '../../risk/index.js'
import type { OrderSource } from '../journal/journal.js'
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

/** Whose changes a person has to see first. What an approval released has been seen. */
const WATCHED: ReadonlySet<OrderSource> = new Set(['api', 'flow'])

/** The refusal of an operation through the API or by a flow while orders of its user wait for approval; never in Analyzer mode. */
export function blockedInSemiAuto(
  operation: BlockedOperation,
  mode: TradingMode,
  { source, userId }: PlaceContext,
  queue: Pick<QueuePort, 'shouldQueue'>,
): OrderResult | undefined {
  if (mode === 'analyze' || !WATCHED.has(source) || !isSemiAuto(queue, userId)) return undefined
  return failure('forbidden', 403, BLOCKED[operation])
}
