import { crashPoint } from '../../../errors/index.js'
import type { RiskGate } from '../../../risk/index.js'
import type { Clock } from '../../../time/index.js'
import { endOfStop, mayBeSent, type OrderEnd, type UnplacedEnd } from '../../end.js'
import type { KeyClaim } from '../../journal/idempotency.js'
import type { OrderJournal } from '../../journal/journal.js'
import { endOf, endOfClosing } from '../../journal/result.js'
import type { Claims, OrderIdentity } from '../../pipeline/claims.js'
import { isRecent } from '../../pipeline/retry.js'
import type { ClaimedOrder } from '../../place/claimed-order.js'
import type { OrderExecution } from '../../place/execution.js'
import { refusedEnd } from '../../place/unlisted.js'
import {
  type Caller,
  type LiveExecution,
  type OrderPorts,
  SANDBOX,
  type SandboxExecution,
} from '../../ports.js'
import { type OrderResult, resultOfEnd } from '../../result.js'
import { type OrderPayload, toOrderRequest } from '../../schema.js'
import { type OwnPositions, wantedOf } from '../own-positions.js'
import type { Batch, BatchStore, DecidedBatch, StoredBatch } from './batch-store.js'
import { openingIn } from './pieces.js'
import {
  type BatchPlan,
  type ExecutionPlan,
  ordersOf,
  pacingOf,
  resultOfPlan,
  type StoredPlan,
} from './plan.js'
import { Waves } from './waves.js'

interface BatchParts {
  claims: Claims
  clock: Clock
  journal: OrderJournal
  store: BatchStore
  risk: RiskGate
  ports: Pick<OrderPorts, 'unlisted'>
  execution: OrderExecution
  sandbox: Pick<SandboxExecution, 'newOrderId' | 'outcomeOf'>
  broker: Pick<LiveExecution, 'accountId'>
  /** Aborted once the service stops. */
  stopping: AbortSignal
}

/** The result of a request of several orders, and the end of each order, in the order of the plan. */
export interface BatchResult {
  plan: BatchPlan
  result: OrderResult
  ends: OrderEnd[]
}

/** States of an order that is being executed. */
const IN_PROGRESS: ReadonlySet<string> = new Set(['claimed', 'sending'])

/**
 * Executes requests of several orders. One commit stores the claims of all orders before the first is sent.
 * After a crash the service sends nothing by itself: recovery closes the unsent orders as not sent, and reads
 * the ends of the others from the journal. If the caller retries soon under its key, the unsent orders are
 * sent; an order that the broker may have received never is. A stop of the service works like a crash between two
 * orders, but the caller still gets a result.
 */
export class Batches {
  readonly #waves: Waves

  constructor(private readonly parts: BatchParts) {
    this.#waves = new Waves(parts)
  }

  /**
   * Executes the orders of a plan, with its pacing.
   * @param positions asked after each pause about the legs that come next; absent when orders are always wanted
   * @throws ServiceError of the storage before anything was sent; after that every order has an end
   */
  async run(
    batch: DecidedBatch,
    executionPlan: ExecutionPlan,
    claim?: KeyClaim,
    positions?: OwnPositions,
  ): Promise<BatchResult> {
    const { claims, sandbox, store } = this.parts
    const { batchRef, brokerId, mode } = batch
    const { plan, gated, pacing } = executionPlan
    const newId = () => sandbox.newOrderId()
    const claimed = ordersOf(plan).map(({ order }, leg) =>
      this.#claimed(batch, order, leg, claims.identity(mode, newId, brokerId), gated, batch.caller),
    )
    const entries = claimed.map(({ entry }) => entry)
    const stored: StoredPlan =
      mode === 'analyze'
        ? { ...executionPlan, orderIds: entries.map(({ orderRef }) => orderRef) }
        : executionPlan
    crashPoint('orders.batch.beforeCommit')
    await claims.store({ mode, ref: batchRef, entries, claim, record: store.row(batch, stored) })
    crashPoint('orders.batch.afterCommit')
    const placed = await this.#waves.send(plan, claimed, pacing, {
      gated,
      mayWait: mayWait(batch, executionPlan),
      positions,
    })
    const ends = await this.#settledMeanwhile(
      batch,
      claimed.map(({ entry }, leg) => placed[leg] ?? endOfStop(entry.orderRef)),
    )
    return this.#result(batch, plan, mayResume(batch, executionPlan) ? forRetry(plan, ends) : ends)
  }

  /**
   * Returns the refusal of the first order, when the gate would refuse every order. Also that of what the pieces of a leg
   * open: the limits of one order are not passed because the exchange takes it only in pieces.
   */
  async refusedWhole(
    { mode, userId }: Batch,
    { plan, gated }: ExecutionPlan,
  ): Promise<UnplacedEnd | undefined> {
    if (!gated) return undefined
    const { ports, risk } = this.parts
    const refusalOf = (payload: OrderPayload) => {
      const asked = { userId, mode, order: toOrderRequest(payload), orderRef: '' }
      return refusedEnd(ports, (...of) => risk.examine(...of), asked)
    }
    for (const leg of plan.legs) {
      const opening = openingIn(leg)
      const refused = opening && (await refusalOf(opening))
      if (refused) return refused
    }
    let first: UnplacedEnd | undefined
    for (const { order } of ordersOf(plan)) {
      const refused = await refusalOf(order)
      if (!refused) return undefined
      first ??= refused
    }
    return first
  }

  /**
   * Returns the result of a batch from the records of its orders. Sends nothing; the result is `unfinished`
   * when {@link resumeUnsent} would send orders.
   * @returns undefined for a batch without a plan, and while one of its orders is being executed
   */
  async resultOf(batchRef: string): Promise<BatchResult | undefined> {
    const batch = await this.parts.store.find(batchRef)
    const ends = batch?.executionPlan && (await this.#history(batch))
    if (!batch?.executionPlan || !ends) return undefined
    const known = this.#result(batch, batch.executionPlan.plan, ends)
    if (this.#maySend(batch)) return known
    const { unfinished: _, ...result } = known.result
    return { ...known, result }
  }

  /** Returns whether a batch has a plan. Without a plan, none of its orders was sent. */
  async wasPlanned(batchRef: string): Promise<boolean> {
    return (await this.parts.store.find(batchRef))?.executionPlan !== undefined
  }

  /**
   * Sends the orders of a batch that a crash left unsent, and closing ones that the broker never received. They go through
   * gate and journal as the first time, under their first references. The ends of the others come from their records.
   * @param positions as for {@link run}; asked about all unsent orders before the first is sent, too
   * @returns undefined when no order is to be sent
   */
  async resumeUnsent(
    batchRef: string,
    caller?: Caller,
    positions?: OwnPositions,
  ): Promise<BatchResult | undefined> {
    const batch = await this.parts.store.find(batchRef)
    if (!batch?.executionPlan || !this.#maySend(batch)) return undefined
    const history = await this.#history(batch)
    if (!history) return undefined
    const { plan, gated, pacing } = batch.executionPlan
    const resumed = { ...batch, accountId: this.parts.broker.accountId }
    const unsent = await this.#reopen(batch, await wantedOf(plan, history, positions))
    const identities = await this.#identities(batch, history)
    const claimed = ordersOf(plan).flatMap(({ order }, leg): ClaimedOrder[] => {
      const identity = identities[leg]
      return identity ? [this.#claimed(resumed, order, leg, identity, gated, caller)] : []
    })
    const known = history.map((end, place) => (unsent.has(place) ? undefined : end))
    const sent = await this.#waves.send(plan, claimed, pacingOf(pacing, unsent), {
      gated,
      mayWait: true,
      positions,
      known,
    })
    return this.#result(
      batch,
      plan,
      history.map((end, place) => sent[place] ?? end),
    )
  }

  #result({ batchRef, mode }: Batch, plan: BatchPlan, ends: OrderEnd[]): BatchResult {
    const results = ends.map((end) => resultOfEnd(end))
    const result = resultOfPlan(plan, batchRef, mode, results)
    const isCut = ends.some(mayBeSent)
    return { plan, result: isCut ? { ...result, unfinished: true } : result, ends }
  }

  /**
   * Returns the ends of a batch's orders: in Live mode from the journal, in Analyzer mode from the sandbox.
   */
  async #history(batch: StoredBatch): Promise<OrderEnd[] | undefined> {
    const { batchRef, executionPlan, mode, userId } = batch
    const { journal, sandbox } = this.parts
    const orderIds = mode === 'analyze' ? executionPlan?.orderIds : undefined
    if (!orderIds) {
      const rows = await journal.inBatch(batchRef)
      if (rows.some((row) => IN_PROGRESS.has(row.state))) return undefined
      const ends = rows.map(endOf)
      return executionPlan && this.#maySend(batch) ? forRetry(executionPlan.plan, ends) : ends
    }
    return Promise.all(
      orderIds.map(async (orderRef): Promise<OrderEnd> => {
        const outcome = await sandbox.outcomeOf(userId, orderRef)
        if (!outcome) return endOfStop(orderRef)
        if (outcome.ok) return { outcome: 'placed', orderRef, orderId: orderRef }
        const { message } = outcome
        return { outcome: 'refused', orderRef, code: 'refused', message, orderId: orderRef }
      }),
    )
  }

  /** Claims unsent orders again. @returns their positions in the plan */
  async #reopen({ mode }: Batch, ends: readonly (OrderEnd | undefined)[]): Promise<ReadonlySet<number>> {
    const unsent = ends.flatMap((end) => end?.orderRef ?? [])
    const reopened = mode === 'analyze' ? new Set(unsent) : await this.parts.journal.reopen(unsent)
    return new Set(ends.flatMap((end, place) => (end && reopened.has(end.orderRef) ? [place] : [])))
  }

  /** Replaces the ends of orders in doubt that were settled while the others were sent. */
  async #settledMeanwhile(batch: Batch, ends: OrderEnd[]): Promise<OrderEnd[]> {
    if (!ends.some(({ outcome }) => outcome === 'in_doubt')) return ends
    // The orders were sent: their ends are valid even when the journal cannot be read now.
    const rows = await this.parts.journal.inBatch(batch.batchRef).catch(() => [])
    return ends.map((end, leg) => {
      const row = rows[leg]
      const isSettled = end.outcome === 'in_doubt' && row && !IN_PROGRESS.has(row.state)
      return isSettled ? endOf(row) : end
    })
  }

  /** Returns whether a retry may send unsent orders now. */
  #maySend(batch: StoredBatch): boolean {
    const { createdAt, executionPlan } = batch
    return (
      executionPlan !== undefined && mayResume(batch, executionPlan) && isRecent(createdAt, this.parts.clock)
    )
  }

  #claimed(
    { accountId, operation, approvalId, batchRef, mode, source, userId }: Batch,
    payload: OrderPayload,
    leg: number,
    { orderRef, broker }: OrderIdentity,
    gated: boolean,
    caller: Caller | undefined,
  ): ClaimedOrder {
    const entry: ClaimedOrder['entry'] = {
      orderRef,
      userId,
      operation,
      source,
      mode,
      broker,
      batchRef,
      leg,
      payload,
      state: 'claimed',
      ...(approvalId !== undefined && { approvalId }),
    }
    const stopping = approvalId === undefined ? this.parts.stopping : undefined
    return { entry, order: toOrderRequest(payload), gated, accountId, stopping, ...(caller && { caller }) }
  }

  /** Returns the references and the brokers of a batch's orders. */
  async #identities({ batchRef, mode }: Batch, history: readonly OrderEnd[]): Promise<OrderIdentity[]> {
    if (mode === 'analyze') return history.map(({ orderRef }) => ({ orderRef, broker: SANDBOX }))
    return this.parts.journal.inBatch(batchRef)
  }
}

/** Returns the ends of a request's orders as a retry takes them: one that closes may be sent after it was lost. */
function forRetry(plan: BatchPlan, ends: readonly OrderEnd[]): OrderEnd[] {
  const orders = ordersOf(plan)
  return ends.map((end, place) => (orders[place]?.closes ? endOfClosing(end) : end))
}

/** Returns whether a soon retry may send unsent orders. Only a caller with a key can retry; an approval runs once. */
function mayResume({ approvalId }: Batch, { resumable }: ExecutionPlan): boolean {
  return resumable && approvalId === undefined
}

/**
 * Returns whether a stop of the service may leave orders unsent. Orders of an approval could not be sent later, and those
 * computed from the current positions perhaps not, so they continue as long as the stop waits.
 */
function mayWait(batch: Batch, executionPlan: ExecutionPlan): boolean {
  return mayResume(batch, executionPlan) && !executionPlan.finishes
}
