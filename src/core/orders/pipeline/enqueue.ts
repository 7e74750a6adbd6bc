import { instrumentsOf } from '../../approvals/index.js'
import { type SymbolRef, symbolKey } from '../../market/schema.js'
import type { KeyClaim } from '../journal/idempotency.js'
import type { QueuePort } from '../ports.js'
import type { QueuedResult } from '../result.js'

/** A request that will wait for approval. */
interface ToQueue {
  userId: string
  /** Its name in the approval queue. */
  queuedAs: string
  payload: object
  /** The last price now, for the drift check at approval. */
  ltp: number | undefined
  /** The last price of each instrument of a basket. */
  prices?: ReadonlyMap<string, number>
  /** The order of a strategy's run. */
  ofRun?: { orderRef: string; broker: string }
}

/** Returns the price to store with a queued order. */
type PriceOf = (ref: SymbolRef) => number | undefined | Promise<number | undefined>

/**
 * Returns the known prices to store with a request: that of its instrument, or those of a basket's orders.
 */
export async function pricesToKeep(
  payload: object,
  priceOf: PriceOf,
): Promise<Pick<ToQueue, 'ltp' | 'prices'>> {
  const refs = instrumentsOf({ ...payload })
  const asked = await Promise.all(refs.map(async (ref) => [symbolKey(ref), await priceOf(ref)] as const))
  if ('symbol' in payload) return { ltp: asked[0]?.[1] }
  const known = asked.flatMap(([key, price]) => (price === undefined ? [] : [[key, price] as const]))
  return { ltp: undefined, ...(known.length > 0 && { prices: new Map(known) }) }
}

/**
 * Stores a request for approval. The same transaction stores the result under the caller's key.
 * @param warning why an approval would be refused now
 */
export async function queueRequest(
  queue: QueuePort,
  request: ToQueue,
  { claim, warning }: { claim?: KeyClaim | undefined; warning?: string | undefined } = {},
): Promise<QueuedResult> {
  const queued = (pendingOrderId: number): QueuedResult => ({
    outcome: 'queued',
    pendingOrderId,
    ...(warning !== undefined && { warning }),
  })
  let result: QueuedResult | undefined
  const id = await queue.enqueue(
    request.userId,
    request.queuedAs,
    { ...request.payload },
    {
      ltp: request.ltp,
      ...(request.prices && { prices: request.prices }),
      ...(request.ofRun && { ofRun: request.ofRun }),
      ...(claim && {
        alongside: async (tx, pendingId) => {
          result = queued(pendingId)
          await claim.writeIn(tx, 'semi_auto', null, result)
        },
      }),
    },
  )
  return result ?? queued(id)
}
