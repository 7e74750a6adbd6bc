import { crashPoint } from '../errors/index.js'
import type { RiskGate } from '../risk/index.js'
import type { Clock } from '../time/index.js'
import { type Answer, failure } from './answer.js'
import type { Batch, BatchStore, StoredBatch } from './batch-store.js'
import { type Child, type ChildPlacer, refusedBy } from './child.js'
import type { Deadline } from './deadline.js'
import { noteExchanges } from './exchange-time.js'
import type { KeyClaim } from './idempotency.js'
import type { JournalRow, OrderJournal } from './journal.js'
import { answerFor, isRecent, NOT_SENT, wasNotSent } from './journal-answer.js'
import { newOrderRef } from './order-ref.js'
import { answerOf, type BatchPlan, type Errand, ordersOf, type Pacing, pacingOf } from './plan.js'
import type { LiveExecution, SimulatedExecution } from './ports.js'
import { type PlaceOrderPayload, toOrderRequest } from './schema.js'

export interface BatchParts {
  clock: Clock
  journal: OrderJournal
  store: BatchStore
  risk: RiskGate
  placer: ChildPlacer
  sandbox: Pick<SimulatedExecution, 'newOrderId' | 'statusOf'>
  broker: Pick<LiveExecution, 'brokerId'>
  /** Aborted once the service stops. */
  stopping: AbortSignal
}

/** How a request ended: the answer, and the end of each order in the order of the plan. */
export interface Carried {
  plan: BatchPlan
  answer: Answer
  ends: Answer[]
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
  async run(batch: Batch, errand: Errand, claim?: KeyClaim): Promise<Carried> {
    const { plan, gated, pacing } = errand
    const { deadline } = batch
    const children = ordersOf(plan).map(
      ({ order }, leg): Child => ({ entry: this.#entry(batch, order, leg), gated, deadline }),
    )
    crashPoint('orders.batch.beforeCommit')
    const entries = children.map(({ entry }) => entry)
    await this.parts.store.open(
      batch,
      errand,
      entries,
      claim && ((tx) => claim.writeIn(tx, batch.mode, batch.batchRef)),
    )
    crashPoint('orders.batch.afterCommit')
    const placed = await this.#placeAll(children, pacing, mayWait(batch, errand))
    const told = children.map(({ entry }, leg) => placed[leg] ?? notSent(entry.orderRef))
    const ends = await this.#settledMeanwhile(batch, told)
    const answer = answerOf(plan, batch.batchRef, batch.mode, ends)
    const isCut = children.some((_, leg) => placed[leg] === undefined)
    return { plan, answer: noteExchanges(isCut ? { ...answer, unfinished: true } : answer, placed), ends }
  }

  /** The first order's refusal when the gate would refuse them all; nothing is begun then. */
  async refusedWhole(batch: Batch, { plan, gated }: Errand): Promise<Answer | undefined> {
    if (!gated) return undefined
    let first: Answer | undefined
    for (const { order } of ordersOf(plan)) {
      const refusal = await this.parts.risk.examine(batch.userId, batch.mode, toOrderRequest(order))
      if (!refusal) return undefined
      first ??= refusedBy(refusal)
    }
    return first
  }

  /** What became of a batch, from the journal alone; undefined while one of its orders is under way. */
  async answerFor(batchRef: string): Promise<Answer | undefined> {
    const batch = await this.parts.store.find(batchRef)
    if (!batch?.errand) return failure('unavailable', 503, NOT_SENT, {}, batchRef)
    const rows = await this.parts.journal.inBatch(batchRef)
    if (rows.some((row) => UNDER_WAY.has(row.state))) return undefined
    const answer = answerOf(batch.errand.plan, batchRef, batch.mode, rows.map(answerFor))
    return this.#maySend(batch) && rows.some(wasNotSent) ? { ...answer, unfinished: true } : answer
  }

  /**
   * Sends the orders of a batch that a crash kept from being sent, each through gate and journal like the first
   * time and under its first reference. Its other orders are told from the journal.
   * @returns undefined when there is nothing to send
   */
  async takeUp(batchRef: string, deadline?: Deadline): Promise<Carried | undefined> {
    const { journal, store } = this.parts
    const batch = await store.find(batchRef)
    if (!batch?.errand || !this.#maySend(batch)) return undefined
    const { plan, gated, pacing } = batch.errand
    const rows = await journal.inBatch(batchRef)
    const unsent = new Set<number>()
    for (const [place, row] of rows.entries()) {
      if (wasNotSent(row) && (await journal.reopen(row.orderRef, NOT_SENT))) unsent.add(place)
    }
    const children = ordersOf(plan).flatMap(({ order }, leg): Child[] => {
      const row = rows[leg]
      return row ? [{ entry: this.#entry(batch, order, leg, row), gated, deadline }] : []
    })
    const sent = await this.#placeAll(children, pacingOf(pacing, unsent), true)
    const ends = rows.map((row, place) => sent[place] ?? answerFor(row))
    const answer = answerOf(plan, batchRef, batch.mode, ends)
    const isCut = [...unsent].some((place) => sent[place] === undefined)
    return { plan, answer: noteExchanges(isCut ? { ...answer, unfinished: true } : answer, sent), ends }
  }

  /**
   * The answer for a key or an approval whose batch was cut short. Sends nothing; `unfinished` when {@link takeUp}
   * would.
   */
  async resume(batchRef: string): Promise<Answer> {
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
    children: readonly Child[],
    { waves, pauseMs, perPause }: Pacing,
    mayWait: boolean,
  ): Promise<Answer[]> {
    const ends: Answer[] = []
    let sincePause = 0
    for (const wave of waves) {
      if (sincePause > 0 && sincePause + wave.length > perPause && pauseMs > 0) {
        await this.parts.clock.sleep(pauseMs)
        sincePause = 0
      }
      if (mayWait && this.parts.stopping.aborted) break
      sincePause += wave.length
      const placing = wave.map(async (index) => {
        const child = children[index]
        if (child) ends[index] = await this.parts.placer.place(child)
      })
      await Promise.all(placing)
      crashPoint('orders.batch.midway')
    }
    return ends
  }

  /** An order may have been found while the others went out: its doubt is over then. */
  async #settledMeanwhile(batch: Batch, ends: Answer[]): Promise<Answer[]> {
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
      await journal.move(row.orderRef, 'rejected', { reason: placed ? 'Rejected by the sandbox' : NOT_SENT })
    }
  }

  /** Only a caller with a key can ask again; an approval is decided once. */
  #maySend({ approvalId, createdAt, errand }: StoredBatch): boolean {
    const soon = isRecent(createdAt, this.parts.clock.now())
    return approvalId === undefined && errand?.resumable === true && soon
  }

  #entry(
    { apiType, approvalId, batchRef, mode, source, userId }: Batch,
    payload: PlaceOrderPayload,
    leg: number,
    known = this.#identity(mode),
  ): Child['entry'] {
    const { orderRef, broker } = known
    return {
      ...{ orderRef, userId, apiType, source, mode, broker, batchRef, leg, payload, state: 'claimed' },
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
function mayWait({ approvalId }: Batch, { resumable }: Errand): boolean {
  return resumable && approvalId === undefined
}

function notSent(orderRef: string): Answer {
  return failure('unavailable', 503, NOT_SENT, {}, orderRef)
}
