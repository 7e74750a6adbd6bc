import { crashPoint } from '../../errors/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { noteExchanges } from '../broker-time.js'
import type { Deadline } from '../deadline.js'
import type { KeyClaim } from '../journal/idempotency.js'
import type { JournalRow, OrderJournal } from '../journal/journal.js'
import { answerFor, isRecent, NOT_SENT, wasNotSent } from '../journal/result.js'
import { newOrderRef } from '../order-ref.js'
import { type ClaimedOrder, type OrderExecution, refusedBy } from '../place/execute.js'
import type { LiveExecution, SandboxExecution } from '../ports.js'
import { failure, type OrderResult } from '../result.js'
import { type PlaceOrderPayload, toOrderRequest } from '../schema.js'
import type { Batch, BatchStore, StoredBatch } from './batch-store.js'
import { answerOf, type BatchPlan, type ExecutionPlan, ordersOf, type Pacing, pacingOf } from './plan.js'

export interface BatchParts {
  clock: Clock
  journal: OrderJournal
  store: BatchStore
  risk: RiskGate
  execution: OrderExecution
  sandbox: Pick<SandboxExecution, 'newOrderId' | 'statusOf'>
  broker: Pick<LiveExecution, 'brokerId'>
  /** Aborted once the service stops. */
  stopping: AbortSignal
}

/** How a request ended: the answer, and the end of each order in the order of the plan. */
export interface BatchResult {
  plan: BatchPlan
  answer: OrderResult
  ends: OrderResult[]
}

/** States of an order somebody is still at work on. */
const UNDER_WAY: ReadonlySet<string> = new Set(['claimed', 'sending'])
const STILL_IN_DOUBT =
  'Orders of this request are still being looked for. Do not send it again; their references are in the journal.'

/**
 * Carries out requests of several orders. All of them are journalled before the first is sent. After a crash
 * nothing is sent by itself: what had not left is closed as not sent, the rest is told from the journal. A caller who
 * soon asks again under its key has the orders sent that were not; one that may have left never is. A stop of the
 * service is a crash between two orders whose caller is still told: what has not left is closed at the next start.
 */
export class Batches {
  constructor(private readonly parts: BatchParts) {}

  /**
   * Sends the orders of a plan, each at its time.
   * @returns the answer, and the end of each order in the order of the plan
   * @throws ServiceError of the storage before anything was sent; from then on every order has its end
   */
  async run(batch: Batch, executionPlan: ExecutionPlan, claim?: KeyClaim): Promise<BatchResult> {
    const { plan, gated, pacing } = executionPlan
    const { deadline } = batch
    const claimed = ordersOf(plan).map(
      ({ order }, leg): ClaimedOrder => ({ entry: this.#entry(batch, order, leg), gated, deadline }),
    )
    crashPoint('orders.batch.beforeCommit')
    const entries = claimed.map(({ entry }) => entry)
    await this.parts.store.open(
      batch,
      executionPlan,
      entries,
      claim && ((tx) => claim.writeIn(tx, batch.mode, batch.batchRef)),
    )
    crashPoint('orders.batch.afterCommit')
    const placed = await this.#placeAll(claimed, pacing, mayWait(batch, executionPlan))
    const told = claimed.map(({ entry }, leg) => placed[leg] ?? notSent(entry.orderRef))
    const ends = await this.#settledMeanwhile(batch, told)
    const answer = answerOf(plan, batch.batchRef, batch.mode, ends)
    const isCut = claimed.some((_, leg) => placed[leg] === undefined)
    return { plan, answer: noteExchanges(isCut ? { ...answer, unfinished: true } : answer, placed), ends }
  }

  /** The first order's refusal when the gate would refuse them all; nothing is begun then. */
  async refusedWhole(batch: Batch, { plan, gated }: ExecutionPlan): Promise<OrderResult | undefined> {
    if (!gated) return undefined
    let first: OrderResult | undefined
    for (const { order } of ordersOf(plan)) {
      const refusal = await this.parts.risk.examine(batch.userId, batch.mode, toOrderRequest(order))
      if (!refusal) return undefined
      first ??= refusedBy(refusal)
    }
    return first
  }

  /** What became of a batch, from the journal alone; undefined while one of its orders is under way. */
  async answerFor(batchRef: string): Promise<OrderResult | undefined> {
    const batch = await this.parts.store.find(batchRef)
    if (!batch?.executionPlan) return failure('unavailable', 503, NOT_SENT, {}, batchRef)
    const rows = await this.parts.journal.inBatch(batchRef)
    if (rows.some((row) => UNDER_WAY.has(row.state))) return undefined
    const answer = answerOf(batch.executionPlan.plan, batchRef, batch.mode, rows.map(answerFor))
    return this.#maySend(batch) && rows.some(wasNotSent) ? { ...answer, unfinished: true } : answer
  }

  /**
   * Sends the orders of a batch that a crash kept from being sent, each through gate and journal like the first
   * time and under its first reference. Its other orders are told from the journal.
   * @returns undefined when there is nothing to send
   */
  async resumeUnsent(batchRef: string, deadline?: Deadline): Promise<BatchResult | undefined> {
    const { journal, store } = this.parts
    const batch = await store.find(batchRef)
    if (!batch?.executionPlan || !this.#maySend(batch)) return undefined
    const { plan, gated, pacing } = batch.executionPlan
    const rows = await journal.inBatch(batchRef)
    const reopened = await journal.reopen(rows.filter(wasNotSent).map(({ orderRef }) => orderRef))
    const unsent = new Set(rows.flatMap(({ orderRef }, place) => (reopened.has(orderRef) ? [place] : [])))
    const claimed = ordersOf(plan).flatMap(({ order }, leg): ClaimedOrder[] => {
      const row = rows[leg]
      return row ? [{ entry: this.#entry(batch, order, leg, row), gated, deadline }] : []
    })
    const sent = await this.#placeAll(claimed, pacingOf(pacing, unsent), true)
    const ends = rows.map((row, place) => sent[place] ?? answerFor(row))
    const answer = answerOf(plan, batchRef, batch.mode, ends)
    const isCut = [...unsent].some((place) => sent[place] === undefined)
    return { plan, answer: noteExchanges(isCut ? { ...answer, unfinished: true } : answer, sent), ends }
  }

  /**
   * The answer for a key or an approval whose batch was cut short. Sends nothing; `unfinished` when {@link resumeUnsent}
   * would.
   */
  async resume(batchRef: string): Promise<OrderResult> {
    for (const row of await this.parts.journal.inBatch(batchRef)) {
      if (row.state === 'claimed') await this.#closeUnsent(row)
    }
    const answer = await this.answerFor(batchRef)
    return answer ?? failure('outcome_unknown', 504, STILL_IN_DOUBT, { order_ref: batchRef }, batchRef)
  }

  /** Run once before orders are accepted: orders of batches that never left are closed. */
  async recover(): Promise<void> {
    for (const row of await this.parts.journal.inState('claimed')) {
      if (row.batchRef !== null) await this.#closeUnsent(row)
    }
  }

  /** @param mayWait whether a stop of the service leaves unsent what is not sent yet; it then has no end here */
  async #placeAll(
    claimed: readonly ClaimedOrder[],
    { waves, pauseMs, perPause }: Pacing,
    mayWait: boolean,
  ): Promise<OrderResult[]> {
    const ends: OrderResult[] = []
    let sincePause = 0
    for (const wave of waves) {
      if (sincePause > 0 && sincePause + wave.length > perPause && pauseMs > 0) {
        await this.parts.clock.sleep(pauseMs)
        sincePause = 0
      }
      if (mayWait && this.parts.stopping.aborted) break
      sincePause += wave.length
      const placing = wave.map(async (index) => {
        const order = claimed[index]
        if (order) ends[index] = await this.parts.execution.place(order)
      })
      await Promise.all(placing)
      crashPoint('orders.batch.midway')
    }
    return ends
  }

  /** An order may have been found while the others went out: its doubt is over then. */
  async #settledMeanwhile(batch: Batch, ends: OrderResult[]): Promise<OrderResult[]> {
    if (!ends.some((end) => end.code === 'outcome_unknown')) return ends
    // The orders are out: their ends stand, even when the journal cannot be read now.
    const rows = await this.parts.journal.inBatch(batch.batchRef).catch(() => [])
    return ends.map((end, leg) => {
      const row = rows[leg]
      return end.code === 'outcome_unknown' && row && !UNDER_WAY.has(row.state) ? answerFor(row) : end
    })
  }

  /** Closes an order that was never sent. In the sandbox it may have arrived all the same: its book tells. */
  async #closeUnsent(row: JournalRow): Promise<void> {
    const { journal, sandbox } = this.parts
    const placed = row.mode === 'analyze' ? await sandbox.statusOf(row.userId, row.orderRef) : undefined
    if (placed && placed !== 'rejected') {
      await journal.move(row.orderRef, 'accepted', { orderId: row.orderRef })
    } else {
      await journal.move(
        row.orderRef,
        'rejected',
        placed ? { reason: 'Rejected by the sandbox' } : { endCause: 'stopped', reason: NOT_SENT },
      )
    }
  }

  /** Only a caller with a key can ask again; an approval is decided once. */
  #maySend({ approvalId, createdAt, executionPlan }: StoredBatch): boolean {
    const soon = isRecent(createdAt, this.parts.clock.now())
    return approvalId === undefined && executionPlan?.resumable === true && soon
  }

  #entry(
    { operation, approvalId, batchRef, mode, source, userId }: Batch,
    payload: PlaceOrderPayload,
    leg: number,
    known = this.#identity(mode),
  ): ClaimedOrder['entry'] {
    const { orderRef, broker } = known
    return {
      ...{ orderRef, userId, operation, source, mode, broker, batchRef, leg, payload, state: 'claimed' },
      ...(approvalId !== undefined && { approvalId }),
    }
  }

  /** Who a new order is, and where it goes. */
  #identity(mode: Batch['mode']): Pick<JournalRow, 'orderRef' | 'broker'> {
    const { broker, clock, sandbox } = this.parts
    if (mode === 'analyze') return { orderRef: sandbox.newOrderId(), broker: 'sandbox' }
    return { orderRef: newOrderRef(clock), broker: broker.brokerId }
  }
}

/**
 * Whether a stop may leave orders unsent. Not those of an approval, which is decided once, and not those worked out
 * from the positions of this moment: nobody could have them sent later. They go on as long as the stop waits.
 */
function mayWait({ approvalId }: Batch, { resumable }: ExecutionPlan): boolean {
  return resumable && approvalId === undefined
}

function notSent(orderRef: string): OrderResult {
  return failure('unavailable', 503, NOT_SENT, {}, orderRef)
}
