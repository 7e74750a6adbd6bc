import type { TradingMode } from '../../trading/index.js'
import {
  type BlockedOperation,
  isCancel,
  ORDER_OPERATIONS,
  orderOperation,
} from '../operations/order-operations.js'
import type { PlaceContext, QueuePort } from '../ports.js'
import { refusal, type UnplacedResult } from '../result.js'

type Queue = Pick<QueuePort, 'shouldQueue'>
/** The user of a request, what sent it, and whether that was a person who is signed in. */
type Sender = Pick<PlaceContext, 'userId' | 'source' | 'signedIn'>

/** The refusal of a change by an assistant. A change cannot wait in the queue, which holds whole orders. */
const PROPOSES_ONLY =
  'An assistant may not do this in Live mode while the MCP setting queue_writes is on: it may only propose new orders, which wait for approval, and cancel orders. Do it yourself, or switch queue_writes off (svc admin mcp).'

/**
 * Returns whether the sender makes the change whatever the order mode and the kill switch say: a person who is signed
 * in may always lower risk. Both bind API keys, which bots have, and everything that acts by itself.
 * @param lowers whether the change lowers risk by its values, for an operation that does not always
 */
export function mayAlways(
  { signedIn }: Pick<Sender, 'signedIn'>,
  operation: string,
  lowers = false,
): boolean {
  return signedIn === true && (lowers || orderOperation(operation)?.lowersRisk === 'always')
}

/** Returns whether the user's orders wait for approval, whoever sends them. */
function isSemiAuto(queue: Queue, userId: string): boolean {
  return queue.shouldQueue(userId, 'placeorder')
}

/** Returns whether the sender is an assistant whose live orders wait for approval. */
function onlyProposes(queue: Queue, { userId, source }: Sender): boolean {
  return source === 'mcp' && queue.shouldQueue(userId, 'placeorder', source)
}

/**
 * Returns the refusal of a change by a user in semi-auto mode, or by an assistant whose orders wait; undefined in
 * Analyzer mode, and for a signed-in person who lowers risk.
 */
export function blockedInSemiAuto(
  operation: BlockedOperation,
  mode: TradingMode,
  sender: Sender,
  queue: Queue,
): UnplacedResult | undefined {
  if (mode === 'analyze' || mayAlways(sender, operation)) return undefined
  if (isSemiAuto(queue, sender.userId)) return refusal('forbidden', ORDER_OPERATIONS[operation].blocked)
  if (isCancel(operation) || !onlyProposes(queue, sender)) return undefined
  return refusal('forbidden', PROPOSES_ONLY)
}

/**
 * Returns whether a live operation would be queued or refused now. The final check before a call to the broker
 * asks it, because modes and settings may change while the call waits for its slot.
 * @param lowers whether a change lowers risk by its values
 */
export function heldInSemiAuto(queue: Queue, sender: Sender, operation: string, lowers?: boolean): boolean {
  const { source, userId } = sender
  if (mayAlways(sender, operation, lowers)) return false
  if (orderOperation(operation)?.blocked === undefined) return queue.shouldQueue(userId, operation, source)
  return isSemiAuto(queue, userId) || (!isCancel(operation) && onlyProposes(queue, sender))
}
