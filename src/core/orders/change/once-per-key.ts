import type { TradingMode } from '../../risk/index.js'
import { type Idempotency, requestHash } from '../journal/idempotency.js'
import { INTERRUPTED } from '../journal/result.js'
import type { PlaceContext } from '../ports.js'
import { failure, type OrderResult } from '../result.js'

/** A request that keeps no row of its own: a change of what is there, or a cancel. */
export interface KeyedRequest {
  operation: string
  payload: object
  mode: TradingMode
  context: PlaceContext
  /**
   * Does it. `begin` is called once nothing can refuse it any more, before anything is changed; it stores the
   * caller's key.
   */
  execute(begin: () => Promise<void>): Promise<OrderResult>
  /** Whether doing it once more does no harm, so that a crash in the middle is answered by doing it again. */
  repeatable: boolean
}

/** Executes once for each key. What a crash cut short is done again only where that does no harm. */
export function oncePerKey(idempotency: Idempotency, request: KeyedRequest): Promise<OrderResult> {
  const { operation, context, execute, mode, payload, repeatable } = request
  const { idempotencyKey: key, userId } = context
  if (key === undefined) return execute(async () => undefined)
  return idempotency.run(
    { userId, key, requestHash: requestHash(operation, payload) },
    (claim) => execute(() => claim.write(mode, null)),
    async () => (repeatable ? execute(async () => undefined) : failure('outcome_unknown', 504, INTERRUPTED)),
  )
}
