import { crashPoint } from '../../errors/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { endOfStop, type OrderEnd, refusedByGate, type UnplacedEnd } from '../end.js'
import type { KeyClaim } from '../journal/idempotency.js'
import type { OrderJournal } from '../journal/journal.js'
import { endOf, isRecent } from '../journal/result.js'
import { newOrderRef } from '../order-ref.js'
import type { ClaimedOrder } from '../place/claimed-order.js'
import type { OrderExecution } from '../place/execution.js'
import { type Caller, type LiveExecution, SANDBOX, type SandboxExecution } from '../ports.js'
import { type OrderResult, resultOfEnd } from '../result.js'
import { type PlaceOrderPayload, toOrderRequest } from '../schema.js'
import type { Batch, BatchStore, StoredBatch } from './batch-store.js'
import { type BatchPlan, type ExecutionPlan, ordersOf, type Pacing, pacingOf, resultOfPlan } from './plan.js'

export interface BatchParts {
  clock: Clock
  journal: OrderJournal
  store: BatchStore
  risk: RiskGate
  execution: OrderExecution
  sandbox: Pick<SandboxExecution, 'newOrderId' | 'outcomeOf'>
  broker: Pick<LiveExecution, 'brokerId'>
  /** Aborted once the service stops. */
  stopping: AbortSignal
}

/** The result of a request of several orders, and the end of each order, in the order of the plan. */
export interface BatchResult {
  plan: BatchPlan
  result: OrderResult
  ends: OrderEnd[]
}

/** What a new order is called, and where it goes. */
interface OrderIdentity {
  orderRef: string
  broker: string
}

/** States of an order that is being executed. */
const UNDER_WAY: ReadonlySet<string> = new Set(['claimed', 'sending'])

/**
 * Executes requests of several orders. The claims of all of them are one commit, before the first is sent. After a
 * crash nothing is sent by itself: what had not left is closed as not sent, the rest is read from its history. A caller
 * who soon asks again under its key has the orders sent that were not; one that may have left never is. A stop of the
 * service is a crash between two orders whose caller is still answered: what has not left is closed at the next start.
 */
export class Batches {
  constructor(private readonly parts: BatchParts) {}

  /**
   * Sends the orders of a plan, each at its time.
   * @throws ServiceError of the storage before anything was sent; from then on every order has its end
   */
  async run(batch: Batch, executionPlan: ExecutionPlan, claim?: KeyClaim): Promise<BatchResult> {
    const { plan, gated, pacing } = executionPlan
    const claimed = ordersOf(plan).map(({ order }, leg) =>
      this.#claimed(batch, order, leg, this.#newIdentity(batch.mode), gated, batch.caller),
    )
    crashPoint('orders.batch.beforeCommit')
    await this.parts.store.open(
      batch,
      executionPlan,
      claimed.map(({ entry }) => entry),
      claim && ((tx) => claim.writeIn(tx, batch.mode, batch.batchRef)),
    )
    crashPoint('orders.batch.afterCommit')
    const placed = await this.#executeAll(claimed, pacing, mayWait(batch, executionPlan))
    const ends = await this.#settledMeanwhile(
      batch,
      claimed.map(({ entry }, leg) => placed[leg] ?? endOfStop(entry.orderRef)),
    )
    return this.#result(batch, plan, ends)
  }

  /** The first order's refusal when the gate would refuse them all; nothing is begun then. */
  async refusedWhole(batch: Batch, { plan, gated }: ExecutionPlan): Promise<UnplacedEnd | undefined> {
    if (!gated) return undefined
    let first: UnplacedEnd | undefined
    for (const { order } of ordersOf(plan)) {
      const refusal = await this.parts.risk.examine(batch.userId, batch.mode, toOrderRequest(order))
      if (!refusal) return undefined
      first ??= refusedByGate(refusal, '')
    }
    return first
  }

  /**
   * What became of a batch, from the history of its orders alone. Sends nothing; the answer is `unfinished` when
   * {@link resumeUnsent} would.
   * @returns undefined for a batch whose orders were never worked out, and while one of them is under way
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

  /** Whether the orders of a batch were ever worked out. Before that, nothing of it can have been sent. */
  async wasPlanned(batchRef: string): Promise<boolean> {
    return (await this.parts.store.find(batchRef))?.executionPlan !== undefined
  }

  /**
   * Sends the orders of a batch that a crash kept from being sent, each through gate and journal like the first
   * time and under its first reference. The ends of its other orders are read from their history.
   * @returns undefined when there is nothing to send
   */
  async resumeUnsent(batchRef: string, caller?: Caller): Promise<BatchResult | undefined> {
    const batch = await this.parts.store.find(batchRef)
    if (!batch?.executionPlan || !this.#maySend(batch)) return undefined
    const history = await this.#history(batch)
    if (!history) return undefined
    const { plan, gated, pacing } = batch.executionPlan
    const unsent = await this.#reopen(batch, history)
    const identities = await this.#identities(batch, history)
    const claimed = ordersOf(plan).flatMap(({ order }, leg): ClaimedOrder[] => {
      const identity = identities[leg]
      return identity ? [this.#claimed(batch, order, leg, identity, gated, caller)] : []
    })
    const sent = await this.#executeAll(claimed, pacingOf(pacing, unsent), true)
    return this.#result(
      batch,
      plan,
      history.map((end, place) => sent[place] ?? end),
    )
  }

  #result({ batchRef, mode }: Batch, plan: BatchPlan, ends: OrderEnd[]): BatchResult {
    const results = ends.map((end) => resultOfEnd(end))
    const result = resultOfPlan(plan, batchRef, mode, results)
    const isCut = ends.some((end) => 'mayBeSent' in end && end.mayBeSent)
    return { plan, result: isCut ? { ...result, unfinished: true } : result, ends }
  }

  /** How the orders of a batch ended: live by the journal, in Analyzer mode by the sandbox's own rows. */
  async #history({ batchRef, executionPlan, mode, userId }: StoredBatch): Promise<OrderEnd[] | undefined> {
    const { journal, sandbox } = this.parts
    const orderIds = mode === 'analyze' ? executionPlan?.orderIds : undefined
    if (!orderIds) {
      const rows = await journal.inBatch(batchRef)
      return rows.some((row) => UNDER_WAY.has(row.state)) ? undefined : rows.map(endOf)
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

  /** Claims what was not sent once more. @returns the places of these orders in the plan */
  async #reopen({ mode }: Batch, history: readonly OrderEnd[]): Promise<ReadonlySet<number>> {
    const unsent = history.flatMap((end) => ('mayBeSent' in end && end.mayBeSent ? [end.orderRef] : []))
    const reopened = mode === 'analyze' ? new Set(unsent) : await this.parts.journal.reopen(unsent)
    return new Set(history.flatMap(({ orderRef }, place) => (reopened.has(orderRef) ? [place] : [])))
  }

  /** @param mayWait whether a stop of the service leaves unsent what is not sent yet; it then has no end here */
  async #executeAll(
    claimed: readonly ClaimedOrder[],
    { waves, pauseMs, perPause }: Pacing,
    mayWait: boolean,
  ): Promise<OrderEnd[]> {
    const ends: OrderEnd[] = []
    let sincePause = 0
    for (const wave of waves) {
      if (sincePause > 0 && sincePause + wave.length > perPause && pauseMs > 0) {
        await this.parts.clock.sleep(pauseMs)
        sincePause = 0
      }
      if (mayWait && this.parts.stopping.aborted) break
      sincePause += wave.length
      const places = wave.filter((place) => claimed[place] !== undefined)
      const executed = await this.parts.execution.all(places.flatMap((place) => claimed[place] ?? []))
      for (const [index, place] of places.entries()) {
        const end = executed[index]
        if (end) ends[place] = end
      }
      crashPoint('orders.batch.midway')
    }
    return ends
  }

  /** An order may have been found while the others went out: its doubt is over then. */
  async #settledMeanwhile(batch: Batch, ends: OrderEnd[]): Promise<OrderEnd[]> {
    if (!ends.some(({ outcome }) => outcome === 'in_doubt')) return ends
    // The orders are out: their ends stand, even when the journal cannot be read now.
    const rows = await this.parts.journal.inBatch(batch.batchRef).catch(() => [])
    return ends.map((end, leg) => {
      const row = rows[leg]
      const isSettled = end.outcome === 'in_doubt' && row && !UNDER_WAY.has(row.state)
      return isSettled ? endOf(row) : end
    })
  }

  /** Only a caller with a key can ask again; an approval is decided once. */
  #maySend({ approvalId, createdAt, executionPlan }: StoredBatch): boolean {
    const soon = isRecent(createdAt, this.parts.clock.now())
    return approvalId === undefined && executionPlan?.resumable === true && soon
  }

  #claimed(
    { operation, approvalId, batchRef, mode, source, userId }: Batch,
    payload: PlaceOrderPayload,
    leg: number,
    { orderRef, broker }: OrderIdentity,
    gated: boolean,
    caller: Caller | undefined,
  ): ClaimedOrder {
    const entry: ClaimedOrder['entry'] = {
      ...{ orderRef, userId, operation, source, mode, broker, batchRef, leg, payload, state: 'claimed' },
      ...(approvalId !== undefined && { approvalId }),
    }
    return { entry, order: toOrderRequest(payload), gated, ...(caller && { caller }) }
  }

  /** What the orders of a batch were called, and where they were to go. */
  async #identities({ batchRef, mode }: Batch, history: readonly OrderEnd[]): Promise<OrderIdentity[]> {
    if (mode === 'analyze') return history.map(({ orderRef }) => ({ orderRef, broker: SANDBOX }))
    return this.parts.journal.inBatch(batchRef)
  }

  #newIdentity(mode: Batch['mode']): OrderIdentity {
    const { broker, clock, sandbox } = this.parts
    if (mode === 'analyze') return { orderRef: sandbox.newOrderId(), broker: SANDBOX }
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
