import type { RiskGate } from '../../risk/index.js'
import {
  type Idempotency,
  type KeyClaim,
  keyUse,
  requestHash,
  type StoredKey,
} from '../journal/idempotency.js'
import { type OrderOperationName, queueName } from '../operations/order-operations.js'
import type { OrderPorts, PlaceContext, QueuePort } from '../ports.js'
import type { OrderResult } from '../result.js'
import { pricesToKeep, queueRequest } from './enqueue.js'
import { requireOnlyMode } from './last-check.js'

/** A request to the order path, and its caller. */
interface Request<P extends object> {
  operation: OrderOperationName
  payload: P
  context: PlaceContext
}

/** A key that leads to the record of an order, or of several. */
export type StartedKey = StoredKey & { orderRef: string }

/** A kind of order request. The {@link Pipeline} does the rest the same way for every kind. */
export interface OrderKind<P extends object> {
  operation: OrderOperationName
  /**
   * Returns the result of a request that is refused whatever the order mode, and publishes it; undefined for any other one.
   */
  refused(payload: P, context: PlaceContext): Promise<OrderResult | undefined> | undefined
  /** Executes a request and publishes its end. It stores the claim together with the intent, before anything is sent. */
  execute(payload: P, context: PlaceContext, claim: KeyClaim | undefined): Promise<OrderResult>
  /** Returns the result for a key whose request was started before a crash, from its records. */
  resume(payload: P, context: PlaceContext, stored: StartedKey): Promise<OrderResult>
}

/**
 * The way of every request: its caller's key, the approval queue, then the execution of its kind. A fault is published as the
 * failure of the request.
 */
export class Pipeline {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly queue: QueuePort,
    private readonly ports: Pick<OrderPorts, 'mode' | 'publishFault' | 'queuePrice'>,
    private readonly risk: Pick<RiskGate, 'stopped'>,
  ) {}

  /** Queues or executes an order request, once for each key of its caller. */
  submit<P extends object>(kind: OrderKind<P>, payload: P, context: PlaceContext): Promise<OrderResult> {
    return this.once(
      { operation: kind.operation, payload, context },
      (claim) => this.#route(kind, payload, context, claim),
      async (stored) => {
        // What a crash left unsent would go where the first request went.
        requireOnlyMode(context, stored.mode === 'analyze' ? 'analyze' : 'live')
        await context.first?.store()
        return kind.resume(payload, context, startedBy(stored))
      },
    )
  }

  /**
   * Returns the result that is kept under the key of a caller, and executes nothing; undefined if there is none.
   * @param resultOf returns the result for a key that leads to the record of its order
   */
  async kept<P extends object>(
    { operation, payload, context }: Request<P>,
    resultOf: (stored: StartedKey) => Promise<OrderResult>,
  ): Promise<OrderResult | undefined> {
    const { idempotencyKey: key } = context
    if (key === undefined) return undefined
    const use = keyUse(context, key, requestHash(operation, payload))
    return this.idempotency.kept(use, (stored) => resultOf(startedBy(stored)))
  }

  /**
   * Executes any request once for each key of its caller, and publishes a fault before it passes it on. Nothing was sent then,
   * because an order that may have been sent ends in a result.
   * @param execute does the work; it gets the claim of the caller's key, if it has one
   * @param resume returns the result for a key without one: a crash came between claim and result
   */
  async once<P extends object>(
    { operation, payload, context }: Request<P>,
    execute: (claim: KeyClaim | undefined) => Promise<OrderResult>,
    resume: (stored: StoredKey) => Promise<OrderResult>,
  ): Promise<OrderResult> {
    const { idempotencyKey: key, userId } = context
    try {
      if (key === undefined) return await execute(undefined)
      return await this.idempotency.run(
        keyUse(context, key, requestHash(operation, payload)),
        execute,
        resume,
      )
    } catch (error) {
      this.ports.publishFault({ operation, userId, request: payload }, error)
      throw error
    }
  }

  async #route<P extends object>(
    kind: OrderKind<P>,
    payload: P,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    const { operation } = kind
    const { first, source, userId } = context
    const refused = kind.refused(payload, context)
    const result = refused && (await refused)
    if (result) return result
    // The kind reads the mode in this same turn.
    requireOnlyMode(context, this.ports.mode())
    if (!this.queue.shouldQueue(userId, operation, source)) return kind.execute(payload, context, claim)
    await first?.store()
    const prices = await pricesToKeep(payload, (ref) => this.ports.queuePrice(ref))
    const request = { userId, queuedAs: queueName(operation), payload, ...prices }
    const { message: warning } = this.risk.stopped() ?? {}
    return queueRequest(this.queue, request, { claim, warning })
  }
}

/** @throws if the key was stored with its answer, as that of a queued request is */
function startedBy(stored: StoredKey): StartedKey {
  const { orderRef } = stored
  if (orderRef === null) throw new Error('the key of an order request has neither its answer nor its order')
  return { ...stored, orderRef }
}
