import { ServiceError } from '../../errors/index.js'
import { type OrderOperationName, queueName } from '../../operations/index.js'
import type { TradingMode } from '../../risk/index.js'
import type { Tx } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { parseWith } from '../../validation/index.js'
import { pricesToKeep, queueRequest } from '../approval/enqueue.js'
import { requireInTime } from '../deadline.js'
import { NOT_SENT } from '../end.js'
import { type Idempotency, type KeyClaim, requestHash } from '../journal/idempotency.js'
import { INTERRUPTED } from '../journal/result.js'
import type { KeyedQueue } from '../keyed-queue.js'
import { newBatchRef } from '../order-ref.js'
import type { Caller, OrderPorts, PlaceContext, QueuePort } from '../ports.js'
import { baseOf, messageOfAnswer, type Outcome, publishFailed, publishPlaced } from '../publish.js'
import { publishingFaults } from '../publish-failure.js'
import { failure, type OrderResult, resultOfEnd } from '../result.js'
import { BASKET_ORDER } from './basket.js'
import type { Batch, BatchStore } from './batch-store.js'
import type { Batches, BatchResult } from './batches.js'
import { CLOSE_POSITIONS, type ClosePayload } from './close.js'
import type { MultiOrderKind, Planned, PlanTools, Run } from './kind.js'
import { OPTIONS_MULTI_ORDER, OPTIONS_ORDER } from './options.js'
import { ordersOf } from './plan.js'
import type {
  BasketOrderPayload,
  OptionsMultiOrderPayload,
  OptionsOrderPayload,
  SmartOrderPayload,
  SplitOrderPayload,
} from './schema.js'
import { SMART_ORDER } from './smart.js'
import { SPLIT_ORDER } from './split.js'

export interface MultiOrdersParts {
  clock: Clock
  batches: Batches
  store: BatchStore
  idempotency: Idempotency
  tools: PlanTools
  queue: QueuePort
  ports: OrderPorts
  /** One for each position, shared with everything else that reads a position and then trades on it. */
  slots: KeyedQueue
}

/** A request that was answered without any order has no ends. */
export type MultiResult = { answer: OrderResult } & Partial<Pick<BatchResult, 'plan' | 'ends'>>

const STILL_IN_DOUBT =
  'Orders of this request are still being looked for. Do not send it again; their references are in the journal.'

type Request = Record<string, unknown>

/** A request from the approval queue, with what is known of its kind. */
interface Queued {
  operation: string
  run(batch: Batch, payload: Request): Promise<MultiResult>
  /** The orders it would become now. @throws ServiceError */
  plan(run: Run, payload: Request): Promise<Planned>
}

/**
 * The order path of requests that become other orders. Each kind says what it becomes ({@link MultiOrderKind}); queue,
 * keys, journal, gate, sending and events are the same for all.
 */
export class MultiOrders {
  readonly #parts: MultiOrdersParts
  readonly #queued: ReadonlyMap<string, Queued>

  constructor(parts: MultiOrdersParts) {
    this.#parts = parts
    this.#queued = new Map([
      this.#queueable(SMART_ORDER),
      this.#queueable(BASKET_ORDER),
      this.#queueable(SPLIT_ORDER),
      this.#queueable(OPTIONS_ORDER),
      this.#queueable(OPTIONS_MULTI_ORDER),
    ])
  }

  smart(payload: SmartOrderPayload, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(SMART_ORDER, payload, context)
  }

  basket(payload: BasketOrderPayload, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(BASKET_ORDER, payload, context)
  }

  split(payload: SplitOrderPayload, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(SPLIT_ORDER, payload, context)
  }

  options(payload: OptionsOrderPayload, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(OPTIONS_ORDER, payload, context)
  }

  optionsMulti(payload: OptionsMultiOrderPayload, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(OPTIONS_MULTI_ORDER, payload, context)
  }

  /**
   * Closes positions at the broker; the sandbox closes its own. The caller has decided for Live mode, and a
   * later switch does not turn this into a close of the sandbox.
   */
  closeLive(payload: ClosePayload, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(CLOSE_POSITIONS, payload, context, 'live')
  }

  supports(queuedAs: string): boolean {
    return this.#queued.has(queuedAs)
  }

  /** The refusal an approved request would meet, when every order of it would. */
  async recheck(queuedAs: string, run: Run, payload: Request): Promise<OrderResult | undefined> {
    const kind = this.#kindOf(queuedAs)
    // What cannot be planned now may be planned when it is executed; it fails there, with its reason.
    const planned = await kind.plan(run, payload).catch(() => undefined)
    if (!planned || 'answer' in planned) return undefined
    return this.#parts.batches.refusedWhole(this.#batch(run, kind.operation), planned)
  }

  /**
   * What a request would become now, or how it would be answered without any order. Nothing is sent or written.
   * @throws ServiceError
   */
  plan(operation: OrderOperationName, { userId, source }: PlaceContext, payload: Request): Promise<Planned> {
    return this.#kindOf(queueName(operation)).plan(
      { userId, source, mode: this.#parts.ports.mode() },
      payload,
    )
  }

  /** Notes an approved request in the claim's own transaction. @returns its reference */
  async beginIn(tx: Tx, queuedAs: string, run: Run, approvalId: number): Promise<string> {
    const batch = { ...this.#batch(run, this.#kindOf(queuedAs).operation), approvalId }
    await this.#parts.store.beginIn(tx, batch)
    return batch.batchRef
  }

  /** Executes an approved request under the reference of its claim. */
  async execute(queuedAs: string, batchRef: string, payload: Request): Promise<MultiResult> {
    const batch = await this.#parts.store.find(batchRef)
    if (!batch) throw new Error(`the journal has no ${batchRef}, which an approval was claimed with`)
    return this.#kindOf(queuedAs).run(batch, payload)
  }

  /** @param mode the mode of the request where the caller has decided it; otherwise the mode of its start */
  async #submit<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    context: PlaceContext,
    mode?: TradingMode,
  ): Promise<OrderResult> {
    const { ports } = this.#parts
    const { userId } = context
    return publishingFaults(ports, { operation: kind.operation, userId, request: payload }, () =>
      this.#submitOnce(kind, payload, context, mode),
    )
  }

  async #submitOnce<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    context: PlaceContext,
    decided: TradingMode | undefined,
  ): Promise<OrderResult> {
    const { userId, idempotencyKey: key } = context
    if (key === undefined) return this.#route(kind, payload, context, undefined, decided)
    return this.#parts.idempotency.run(
      { userId, key, requestHash: requestHash(kind.operation, payload) },
      (claim) => this.#route(kind, payload, context, claim, decided),
      async ({ orderRef, mode }) => {
        if (orderRef === null) return failure('outcome_unknown', 504, INTERRUPTED)
        const known = await this.#known(orderRef)
        return known.unfinished
          ? this.#finish(kind, payload, { userId, orderRef, mode, caller: context }, known)
          : known
      },
    )
  }

  /** The answer to a request from the history of its orders. */
  async #known(batchRef: string): Promise<OrderResult> {
    const { batches } = this.#parts
    const result = await batches.resultOf(batchRef)
    if (result) return result.answer
    return (await batches.wasPlanned(batchRef))
      ? failure('outcome_unknown', 504, STILL_IN_DOUBT, { order_ref: batchRef }, batchRef)
      : failure('unavailable', 503, NOT_SENT, {}, batchRef)
  }

  /** Sends what a crash left unsent, where a new request like it would be sent at once, too. */
  async #finish<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    { userId, orderRef, mode, caller }: { userId: string; orderRef: string; mode: string; caller: Caller },
    known: OrderResult,
  ): Promise<OrderResult> {
    const { batches, ports, queue, store } = this.#parts
    if (ports.mode() !== mode || queue.shouldQueue(userId, kind.operation)) return known
    if (mode === 'live') this.#requireBroker(kind)
    const [batch, done] = [await store.find(orderRef), await batches.resumeUnsent(orderRef, caller)]
    if (!batch || !done) return known
    this.#publish(kind, payload, batch, done)
    return done.answer
  }

  async #route<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    context: PlaceContext,
    claim: KeyClaim | undefined,
    decided: TradingMode | undefined,
  ): Promise<OrderResult> {
    const { userId, source } = context
    const { ports, queue } = this.#parts
    if (queue.shouldQueue(userId, kind.operation)) {
      const prices = await pricesToKeep(payload, (ref) => ports.queuePrice(ref))
      return queueRequest(queue, { userId, queuedAs: queueName(kind.operation), payload, ...prices }, claim)
    }
    const run: Run = { userId, source, mode: decided ?? ports.mode(), caller: context }
    return (await this.#execute(kind, payload, this.#batch(run, kind.operation), claim)).answer
  }

  /** Plans and sends, in the slots of what it trades on. */
  async #execute<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    batch: Batch,
    claim: KeyClaim | undefined,
  ): Promise<MultiResult> {
    try {
      // Whoever has no broker session hears so before anything else is asked.
      if (batch.mode === 'live') this.#requireBroker(kind)
      const slots = (await kind.slots?.(payload, batch, this.#parts.tools)) ?? []
      return await this.#parts.slots.run(slots, () => this.#perform(kind, payload, batch, claim, slots))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const extra = batch.mode === 'analyze' ? { mode: batch.mode } : {}
      const answer = failure(error.code, error.httpStatus, error.message, { ...error.extra, ...extra })
      publishFailed(this.#parts.ports, this.#outcome(kind, payload, batch, answer))
      return { answer }
    }
  }

  async #perform<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    batch: Batch,
    claim: KeyClaim | undefined,
    held: readonly string[],
  ): Promise<MultiResult> {
    const { batches, clock, ports, tools } = this.#parts
    // It may have waited for its turn.
    requireInTime(clock, batch.caller?.deadline)
    const planned = await kind.plan(payload, batch, tools, held)
    if ('answer' in planned) {
      const { answer } = planned
      if (answer.code === 'ok') await claim?.write(batch.mode, null, answer)
      this.#publishUnsent(kind, payload, this.#outcome(kind, payload, batch, answer), planned.event)
      return { answer }
    }
    const refused = await batches.refusedWhole(batch, planned)
    if (refused) {
      const shown =
        batch.mode === 'analyze' ? { ...refused, body: { ...refused.body, mode: batch.mode } } : refused
      publishFailed(ports, this.#outcome(kind, payload, batch, shown))
      return { answer: shown }
    }
    const done = await batches.run(batch, planned, claim)
    this.#publish(kind, payload, batch, done)
    return done
  }

  #publish<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    batch: Batch,
    { plan, answer, ends }: BatchResult,
  ): void {
    const outcome = this.#outcome(kind, payload, batch, answer)
    kind.publish(payload, { outcome, plan }, this.#parts.ports)
    if (kind.publishesEachFailure && plan.shape === 'list' && batch.mode === 'live') {
      this.#publishFailures(outcome, plan, ends)
    }
  }

  #requireBroker({ reduces }: { reduces?: boolean }): void {
    const { broker } = this.#parts.tools
    if (reduces) broker.client()
    else broker.requireReady()
  }

  /** An answer without orders: a refusal, or there was nothing to do. */
  #publishUnsent<P extends object>(
    kind: MultiOrderKind<P>,
    payload: P,
    outcome: Outcome,
    event: 'no_action' | undefined,
  ): void {
    const { ports } = this.#parts
    if (outcome.answer.code !== 'ok') {
      publishFailed(ports, outcome)
    } else if (event === 'no_action') {
      const { symbol, exchange } = outcome.request
      ports.emit('order.no_action', {
        ...baseOf(outcome),
        symbol: String(symbol ?? ''),
        exchange: String(exchange ?? ''),
        message: messageOfAnswer(outcome.answer),
      })
    } else {
      kind.publish(payload, { outcome, plan: { shape: 'list', head: {}, legs: [] } }, ports)
    }
  }

  #publishFailures(outcome: Outcome, plan: BatchResult['plan'], ends: BatchResult['ends']): void {
    for (const [place, { order }] of ordersOf(plan).entries()) {
      const end = ends[place]
      if (end && end.outcome !== 'placed') {
        const answer = resultOfEnd(end)
        publishPlaced(this.#parts.ports, { ...outcome, request: order, answer }, order)
      }
    }
  }

  #queueable<P extends object>(kind: MultiOrderKind<P>): readonly [string, Queued] {
    const read = (payload: Request) => parseWith(kind.payload, payload)
    return [
      queueName(kind.operation),
      {
        operation: kind.operation,
        run: (batch, payload) => this.#execute(kind, read(payload), batch, undefined),
        plan: async (run, payload) => kind.plan(read(payload), run, this.#parts.tools),
      },
    ]
  }

  #kindOf(queuedAs: string): Queued {
    const kind = this.#queued.get(queuedAs)
    if (!kind) throw new Error(`no kind of request is called ${queuedAs}`)
    return kind
  }

  #batch(run: Run, operation: string): Batch {
    return { ...run, operation, batchRef: newBatchRef(this.#parts.clock) }
  }

  #outcome(kind: { operation: string }, payload: object, batch: Batch, answer: OrderResult): Outcome {
    const { mode, userId } = batch
    return { mode, userId, operation: kind.operation, request: { ...payload }, answer }
  }
}
