import type { TradingMode } from '../../trading/index.js'
import { UNKNOWN_CHANGE } from '../end.js'
import {
  type Idempotency,
  type KeyClaim,
  keyUse,
  requestHash,
  type StoredKey,
} from '../journal/idempotency.js'
import type { PlaceContext } from '../ports.js'
import type { OrderResult } from '../result.js'

/**
 * Marks the beginning of a request, and stores its key. `store` stores the key itself, together with what leads to the
 * request's orders; it is not called for a request without a key.
 */
export type Begin = (store?: (claim: KeyClaim) => Promise<void>) => Promise<void>

/** A request without a journal row: a change of an existing order, or a cancel. */
interface KeyedRequest {
  operation: string
  payload: object
  mode: TradingMode
  context: PlaceContext
  /**
   * Executes it. It calls `begin` after the last possible refusal and before the first change; `begin` stores
   * the caller's key.
   */
  execute(begin: Begin): Promise<OrderResult>
  /** True when a repeat does no harm. After a crash in the middle, such a request is executed again. */
  repeatable: boolean
  /** Returns the result after a crash in the middle, from what `begin` has stored. */
  resume?(stored: StoredKey): Promise<OrderResult>
}

/**
 * Executes a request once per key. After a crash it repeats only a request whose repeat does no harm, and only in the
 * mode in which it began: in the other mode it would change other orders.
 */
export function oncePerKey(idempotency: Idempotency, request: KeyedRequest): Promise<OrderResult> {
  const { operation, context, execute, mode, payload, repeatable, resume } = request
  const { idempotencyKey: key } = context
  if (key === undefined) return execute(async () => undefined)
  return idempotency.run(
    keyUse(context, key, requestHash(operation, payload)),
    (claim) => execute((store) => (store ? store(claim) : claim.write(mode, null))),
    async (stored) => {
      if (resume) return resume(stored)
      return repeatable && stored.mode === mode
        ? execute(async () => undefined)
        : { outcome: 'in_doubt', message: UNKNOWN_CHANGE }
    },
  )
}
