import { instrumentsOf } from '../../approvals/index.js'
import { ServiceError } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { parseWith } from '../../validation/index.js'
import { requireCaller } from '../deadline.js'
import { NOT_SENT } from '../end.js'
import type { KeyClaim } from '../journal/idempotency.js'
import type { KeyedQueue } from '../keyed-queue.js'
import { type OrderOperationName, QUEUEABLE } from '../operations/order-operations.js'
import { newBatchRef } from '../order-ref.js'
import type { OrderKind, Pipeline, StartedKey } from '../pipeline/pipeline.js'
import { retryObjection } from '../pipeline/retry.js'
import { lackRefusal } from '../place/lack.js'
import { noteRefusedRequest } from '../place/refused.js'
import type { SingleOrders } from '../place/single-orders.js'
import { unlistedRefusal } from '../place/unlisted.js'
import type { OrderPorts, PlaceContext, QueuePort } from '../ports.js'
import { baseOf, type Outcome, publishFailed, publishPlaced } from '../publish/publish.js'
import {
  codeOf,
  isInDoubt,
  markedWith,
  messageOfResult,
  notSent,
  type OrderResult,
  refusal,
  resultOfEnd,
  resultOfError,
  type UnplacedResult,
} from '../result.js'
import { type ApprovedMulti, approvedMulti, type MultiResult } from './approved-multi.js'
import { CLOSE_POSITIONS, type ClosePayload } from './close.js'
import type { AccountReading, MultiOrderKind, Planned, PlanTools, Run } from './kind.js'
import { type OwnPositions, ownPositions } from './own-positions.js'
import type { Batch, BatchStore, DecidedBatch } from './plans/batch-store.js'
import type { Batches, BatchResult } from './plans/batches.js'
import { legResults, ordersOf, withTerms } from './plans/plan.js'

interface MultiOrdersParts {
  clock: Clock
  batches: Batches
  store: BatchStore
  pipeline: Pipeline
  tools: PlanTools
  queue: QueuePort
  ports: OrderPorts
  /** One slot for each position, shared with all code that reads a position and then trades on it. */
  slots: KeyedQueue
}

const STILL_IN_DOUBT =
  'Orders of this request are still being looked for. Do not send it again; their references are in the journal.'

const STILL_SENDS =
  'The service stopped before it came to some orders of this request. A repeat under its key still sends them.'

type Request = Record<string, unknown>
type Kind<P extends object> = MultiOrderKind<P, OrderOperationName>

/**
 * Executes requests that become other orders. Each kind makes its own plan ({@link MultiOrderKind}); queue,
 * keys, journal, gate, sending and events are the same for all kinds.
 */
export class MultiOrders {
  readonly #parts: MultiOrdersParts
  readonly #queued: ReadonlyMap<string, (payload: Request) => ApprovedMulti>

  constructor(parts: MultiOrdersParts) {
    this.#parts = parts
    this.#queued = new Map(
      QUEUEABLE.flatMap(({ approved, queuedAs }) =>
        typeof approved === 'string' ? [] : [[queuedAs, this.#queueable(approved)] as const],
      ),
    )
  }

  /** Queues or executes a request, once for each key of its caller. */
  submit<P extends object>(kind: Kind<P>, payload: P, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(kind, payload, context)
  }

  /**
   * Closes positions at the broker; the sandbox closes its own. The caller has decided for Live mode, and a
   * later switch does not turn this into a close of the sandbox.
   */
  closeLive(payload: ClosePayload, context: PlaceContext): Promise<OrderResult> {
    return this.#submit(CLOSE_POSITIONS, payload, context, 'live')
  }

  /** Returns readings of the account that read it once, for plans that are only shown. */
  oneReading(): AccountReading {
    const { tools } = this.#parts
    let account: ReturnType<PlanTools['account']> | undefined
    let inDoubt: ReturnType<PlanTools['inDoubt']> | undefined
    return {
      account: () => {
        account ??= tools.account(() => true)
        return account
      },
      inDoubt: async (concerns) => {
        inDoubt ??= tools.inDoubt(() => true)
        return (await inDoubt).filter(concerns)
      },
    }
  }

  supports(queuedAs: string): boolean {
    return this.#queued.has(queuedAs)
  }

  /** Reads a request from the approval queue. @throws ServiceError `validation` */
  open(queuedAs: string, payload: Request): ApprovedMulti {
    const open = this.#queued.get(queuedAs)
    if (!open) throw new Error(`no kind of request is called ${queuedAs}`)
    return open(payload)
  }

  /**
   * Returns the orders that a request would become now, or its result when it needs none. Sends and writes
   * nothing. @throws ServiceError
   */
  plan<P extends object>(kind: Kind<P>, payload: P, { userId, source }: PlaceContext): Promise<Planned> {
    const { ports, tools } = this.#parts
    return kind.plan(payload, { userId, source, mode: ports.mode() }, tools)
  }

  /**
   * Returns what would become of a request: the result that is kept under the key of its caller, or else each of its orders.
   * Sends and writes nothing.
   * @throws ServiceError `conflict` if the key was used for another request
   */
  async preview<P extends object>(
    kind: Kind<P>,
    payload: P,
    context: PlaceContext,
    single: Pick<SingleOrders, 'previewAll'>,
  ): Promise<OrderResult> {
    const { pipeline, ports, queue } = this.#parts
    const { operation } = kind
    const { source, userId } = context
    const kept = await pipeline.kept({ operation, payload, context }, async ({ orderRef }) => {
      const known = await this.known(orderRef)
      return known.unfinished ? refusal('conflict', STILL_SENDS) : known
    })
    if (kept) return kept
    const [ref] = 'symbol' in payload ? instrumentsOf({ ...payload }) : []
    const unlisted = ref && (await unlistedRefusal(ports, ref))
    if (unlisted) return markedWith(ports.mode(), unlisted)
    const mode = queue.shouldQueue(userId, operation, source) ? 'semi_auto' : ports.mode()
    const planned = await this.plan(kind, payload, context)
    if ('result' in planned) return planned.result
    const { pacing, plan } = planned
    const orders = ordersOf(plan)
    // Each order counts after those that are sent before it: of the legs of an option strategy, those that are bought.
    const sending = pacing.waves.flat()
    const sent = sending.flatMap((place) => orders[place]?.order ?? [])
    const { margin, previews } = await single.previewAll(sent, context)
    const results = orders.flatMap((_, place) => previews[sending.indexOf(place)] ?? [])
    return { outcome: 'rehearsed', preview: { mode, margin }, legs: legResults(withTerms(plan), results) }
  }

  /** @param decided the mode of the request where the caller has decided it; otherwise the mode of its start */
  #submit<P extends object>(
    kind: Kind<P>,
    payload: P,
    context: PlaceContext,
    decided?: TradingMode,
  ): Promise<OrderResult> {
    const batchOf = (caller: PlaceContext) => {
      const { source, userId } = caller
      return this.#batch(
        { userId, source, mode: decided ?? this.#parts.ports.mode(), caller },
        kind.operation,
      )
    }
    const ofPipeline: OrderKind<P> = {
      operation: kind.operation,
      refused: (asked, caller) => this.#refused(kind, asked, () => batchOf(caller)),
      execute: async (asked, caller, claim) =>
        (await this.#execute(kind, asked, this.#decided(batchOf(caller)), claim)).result,
      resume: async (asked, caller, stored) => {
        const known = await this.known(stored.orderRef)
        return known.unfinished ? this.#finish(kind, asked, caller, stored, known) : known
      },
    }
    return this.#parts.pipeline.submit(ofPipeline, payload, context)
  }

  /** Returns the result of a request from the records of its orders. Sends nothing. */
  async known(batchRef: string): Promise<OrderResult> {
    const { batches } = this.#parts
    const known = await batches.resultOf(batchRef)
    if (known) return known.result
    return (await batches.wasPlanned(batchRef))
      ? { outcome: 'in_doubt', message: STILL_IN_DOUBT, orderRef: batchRef }
      : { ...notSent('unavailable', NOT_SENT), orderRef: batchRef }
  }

  /** Sends the orders that a crash left unsent, if a new request would be executed at once as well. */
  async #finish<P extends object>(
    kind: Kind<P>,
    payload: P,
    caller: PlaceContext,
    stored: StartedKey,
    known: OrderResult,
  ): Promise<OrderResult> {
    const { batches, slots, store, tools } = this.#parts
    const { mode, orderRef } = stored
    if (retryObjection(this.#parts, stored, kind.operation, caller.source)) return known
    if (kind.target && isInDoubt(known)) return known
    if (mode === 'live') this.#requireBroker(kind)
    const batch = await store.find(orderRef)
    if (!batch) return known
    const positions = this.#positions(kind, payload, { ...batch, caller })
    const occupied = (await kind.slots?.(payload, batch, tools)) ?? []
    const done = await slots.run(occupied, () => batches.resumeUnsent(orderRef, caller, positions))
    if (!done) return known
    this.#publish(kind, payload, batch, done)
    return done.result
  }

  #positions<P extends object>(kind: Kind<P>, payload: P, run: Run): OwnPositions | undefined {
    const target = kind.target?.(payload)
    return target === undefined ? undefined : ownPositions(target, run, this.#parts)
  }

  /**
   * Refuses a new order in one instrument that is not listed, and instructions that the broker cannot follow. A position can
   * be closed all the same.
   */
  #refused<P extends object>(
    kind: Kind<P>,
    payload: P,
    batchNow: () => Batch,
  ): Promise<OrderResult | undefined> | undefined {
    const { ports, tools } = this.#parts
    if (kind.reduces) return undefined
    const publish = (refused: UnplacedResult) => {
      const batch = batchNow()
      const result = markedWith(batch.mode, refused)
      this.#publishFailed(kind, payload, batch, result)
      return result
    }
    const lack = lackRefusal(ports.mode(), tools.broker, payload)
    if (lack) return Promise.resolve(publish(lack))
    const [ref] = 'symbol' in payload ? instrumentsOf({ ...payload }) : []
    return ref && unlistedRefusal(ports, ref).then((unlisted) => unlisted && publish(unlisted))
  }

  /** Plans and executes a request, in the slots of the positions it trades on. */
  #execute<P extends object>(
    kind: Kind<P>,
    payload: P,
    batch: DecidedBatch,
    claim: KeyClaim | undefined,
  ): Promise<MultiResult> {
    const { clock, slots, tools } = this.#parts
    return this.#ready(kind, payload, batch, async () => {
      const occupied = (await kind.slots?.(payload, batch, tools)) ?? []
      return slots.run(occupied, async () => {
        // It may have waited for its slots.
        requireCaller(clock, batch.caller)
        const planned = await kind.plan(payload, batch, tools, occupied)
        return this.#carryOut(kind, payload, batch, planned, claim)
      })
    })
  }

  /** Executes a request once its broker can take it. Publishes why it was refused. */
  async #ready<P extends object>(
    kind: Kind<P>,
    payload: P,
    batch: DecidedBatch,
    execute: () => Promise<MultiResult>,
  ): Promise<MultiResult> {
    try {
      // A missing broker session is reported before any other check.
      if (batch.mode === 'live') this.#requireBroker(kind)
      return await execute()
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const result = markedWith(batch.mode, resultOfError(error))
      this.#publishFailed(kind, payload, batch, result)
      return { result }
    }
  }

  async #carryOut<P extends object>(
    kind: Kind<P>,
    payload: P,
    batch: DecidedBatch,
    planned: Planned,
    claim: KeyClaim | undefined,
  ): Promise<MultiResult> {
    const { batches } = this.#parts
    if ('result' in planned) {
      const { result } = planned
      if (codeOf(result) === 'ok') await claim?.write(batch.mode, null, result)
      this.#publishUnsent(kind, payload, batch, result)
      return { result }
    }
    const refused = await batches.refusedWhole(batch, planned)
    if (refused) {
      const result = markedWith(batch.mode, resultOfEnd(refused))
      this.#publishFailed(kind, payload, batch, result)
      return { result }
    }
    const done = await batches.run(batch, planned, claim, this.#positions(kind, payload, batch))
    this.#publish(kind, payload, batch, done)
    return done
  }

  #publish<P extends object>(
    kind: Kind<P>,
    payload: P,
    batch: Batch,
    { plan, result, ends }: BatchResult,
  ): void {
    const outcome = this.#outcome(kind, payload, batch, result)
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

  /** Publishes a request without orders: a refusal, or nothing was to do. */
  #publishUnsent<P extends object>(kind: Kind<P>, payload: P, batch: Batch, result: OrderResult): void {
    const { ports } = this.#parts
    const outcome = this.#outcome(kind, payload, batch, result)
    const { request } = outcome
    if (codeOf(result) !== 'ok') {
      this.#publishFailed(kind, payload, batch, result)
    } else if (result.outcome === 'no_action') {
      const { symbol, exchange } = request
      ports.publish({
        topic: 'order.no_action',
        result,
        facts: {
          ...baseOf(outcome),
          symbol: String(symbol ?? ''),
          exchange: String(exchange ?? ''),
          message: messageOfResult(result),
        },
      })
    } else {
      kind.publish(payload, { outcome, plan: { shape: 'list', head: {}, legs: [] } }, ports)
    }
  }

  /** Publishes a request of which no order was stored, and records its refusal. */
  #publishFailed<P extends object>(kind: Kind<P>, payload: P, batch: Batch, result: OrderResult): void {
    const { approvalId, caller, mode, source, userId } = batch
    const { ports } = this.#parts
    publishFailed(ports, this.#outcome(kind, payload, batch, result))
    const ofApproval = approvalId === undefined ? {} : { approvalId }
    const asked = { operation: kind.operation, source, userId, mode, request: payload, ...ofApproval }
    noteRefusedRequest(ports, caller ?? {}, asked, result)
  }

  #publishFailures(outcome: Outcome, plan: BatchResult['plan'], ends: BatchResult['ends']): void {
    for (const [place, { order }] of ordersOf(plan).entries()) {
      const end = ends[place]
      if (end && end.outcome !== 'placed') {
        publishPlaced(this.#parts.ports, { ...outcome, request: order, result: resultOfEnd(end) }, order)
      }
    }
  }

  #queueable<P extends object>(kind: Kind<P>) {
    return (payload: Request) => this.#approved(kind, parseWith(kind.payload, payload))
  }

  #approved<P extends object>(kind: Kind<P>, payload: P): ApprovedMulti {
    const { batches, slots, store, tools } = this.#parts
    return approvedMulti({
      slots: async (run) => (await kind.slots?.(payload, run, tools)) ?? [],
      alone: (occupied, work) => slots.run(occupied, work),
      plan: (run, occupied, reading) => kind.plan(payload, run, { ...tools, ...reading }, occupied),
      refusedWhole: (run, planned) => batches.refusedWhole(this.#batch(run, kind.operation), planned),
      decided: (run) => this.#decided(this.#batch(run, kind.operation)),
      store: (tx, batch) => tx.batch(store.row(batch)),
      execute: (batch, planned) =>
        this.#ready(kind, payload, batch, () => this.#carryOut(kind, payload, batch, planned, undefined)),
    })
  }

  #batch(run: Run, operation: string): Batch {
    return { ...run, operation, batchRef: newBatchRef(this.#parts.clock) }
  }

  /** Returns a batch for the broker and the account of now: positions of one account say nothing about another. */
  #decided(batch: Batch): DecidedBatch {
    const { accountId, brokerId } = this.#parts.tools.broker
    return { ...batch, accountId, brokerId }
  }

  #outcome(kind: { operation: string }, payload: object, batch: Batch, result: OrderResult): Outcome {
    const { mode, userId } = batch
    return { mode, userId, operation: kind.operation, request: { ...payload }, result }
  }
}
