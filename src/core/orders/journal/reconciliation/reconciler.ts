import type { ApprovalResult } from '../../../approvals/schema.js'
import type { BrokerOrder } from '../../../brokers/broker.js'
import { crashPoint, messageOf, ServiceError } from '../../../errors/index.js'
import type { Clock, Timer } from '../../../time/index.js'
import { parseWith } from '../../../validation/index.js'
import { approvalOfBatch, approvalOfEnd, approvalOfGtt, statusIn } from '../../approval/result.js'
import { NOT_SENT, UNKNOWN_OUTCOME } from '../../end.js'
import type { BatchResult } from '../../multi/plans/batches.js'
import type { KnownEnd } from '../../place/live-sender.js'
import type { LiveExecution, OrderPorts } from '../../ports.js'
import { publishPlaced } from '../../publish/publish.js'
import { codeOf, isInDoubt, type OrderResult, resultOfEnd } from '../../result.js'
import { placeOrderPayload } from '../../schema.js'
import type { Idempotency } from '../idempotency.js'
import type { JournalRow, OrderJournal, StateDetail } from '../journal.js'
import type { SettledBy } from '../move-store.js'
import { endOf, NEVER_RECEIVED } from '../result.js'
import type { OrderState } from '../states.js'
import { DoubtReading, type DoubtSearchParts, type Finding } from './doubt-search.js'
import { type Absence, GTT, type StoredCandidate } from './doubt-store.js'
import { changeBy, mayBeSettled, type Verdict } from './verdict.js'

const SINGLE = 'placeorder'
/** The pause before the next search for orders in doubt; the last one repeats. */
const BACKOFF_MS = [250, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000]

const FOUND_BY: Readonly<Record<SettledBy, string>> = {
  tag: 'Found in the broker’s book by its reference',
  matched: 'The only order with its content that the broker took when it was sent',
  not_shown: NEVER_RECEIVED,
  person: 'Settled by a person',
}

/** What the broker's books say about an order in doubt. */
interface Evidence {
  candidates: readonly StoredCandidate[]
  absence: Absence | undefined
}

interface ReconcilerPorts extends Pick<OrderPorts, 'publish' | 'log'> {
  /** Passes the result of an approved request to the approval queue. */
  settleApproval(approvalId: number, result: ApprovalResult): Promise<unknown>
  /** Returns the result of a request of several orders; undefined while one of them is being executed. */
  resultOfBatch(batchRef: string): Promise<BatchResult | undefined>
}

/**
 * Settles orders in doubt from the only evidence that counts: the broker's book. It never sends anything. An order that the
 * book cannot settle stays in doubt until a person settles it.
 */
export class Reconciler {
  #timer: Timer | undefined
  /**
   * Orders that have just come into doubt, and orders with a known end that could not be recorded. The
   * journal has neither yet.
   */
  readonly #fresh = new Map<string, KnownEnd | undefined>()
  #attempt = 0
  #running: Promise<void> | undefined
  readonly #search: DoubtSearchParts

  constructor(
    private readonly journal: OrderJournal,
    private readonly broker: LiveExecution,
    private readonly idempotency: Idempotency,
    private readonly ports: ReconcilerPorts,
    private readonly clock: Clock,
    evidence: Pick<DoubtSearchParts, 'doubts' | 'sessionOf'>,
  ) {
    this.#search = { ...evidence, clock, journal, broker }
  }

  /**
   * Recovers the journal, once, before the service accepts orders. An order in `sending` was in flight when
   * the process ended, so its outcome is unknown; an order in `claimed` was never sent.
   */
  async recover(): Promise<void> {
    const reason = 'The service stopped while it was being sent'
    const inFlight = await this.journal.inState('sending')
    await this.journal.moveAll(inFlight.map(({ orderRef }) => ({ orderRef, to: 'unknown', reason })))
    const unsent = await this.journal.inState('claimed')
    await this.journal.moveAll(
      unsent.map(({ orderRef }) => ({ orderRef, to: 'rejected', endCause: 'stopped', reason: NOT_SENT })),
    )
    await this.#searchAll()
    if ((await this.journal.inState('unknown')).length > 0) this.#schedule()
  }

  /**
   * Starts the search for an order that has just become unknown, or records its `end` when the disk works
   * again.
   */
  watch(orderRef: string, end?: KnownEnd): void {
    this.#fresh.set(orderRef, end)
    this.#attempt = 0
    this.#schedule()
  }

  stop(): void {
    this.clock.clear(this.#timer)
  }

  /**
   * Records how an order in doubt or a lapsed order ended, as a person says it. First it searches the broker's book once
   * more; `force` settles the order although the book could not be read.
   * @throws ServiceError `not_found`; `conflict` if the end of the order is known, or if the book could not be
   * read; `validation` if the verdict does not fit the order
   */
  async settle(orderRef: string, verdict: Verdict) {
    const asked = await this.journal.find(orderRef)
    if (!asked) throw new ServiceError('not_found', `Order ${orderRef} not found`)
    const isRead = mayBeSettled(asked) && (await this.#searchFor([asked]))
    const row = (await this.journal.find(orderRef)) ?? asked
    if (!mayBeSettled(row)) {
      const message = `Order ${orderRef} is ${row.state}; only an order in doubt or a lapsed one can be settled`
      throw new ServiceError('conflict', message)
    }
    const { state, detail } = changeBy(verdict, row)
    if (!isRead && verdict.force !== true) throw unreadBook(row)
    const { by, orderId, reason } = verdict
    await this.#requireFree(row, orderId)
    await this.#requireFitting(row, orderId)
    const isSettled = await this.#conclude(row, state, {
      ...detail,
      settledBy: 'person',
      reason: `Settled by ${by}${isRead ? '' : ', the order book could not be read'}: ${reason}`,
    })
    if (!isSettled)
      throw new ServiceError('conflict', `Order ${orderRef} has just changed. Look at it again.`)
  }

  /** Returns what speaks for and against an order in doubt: what it may be at the broker, and readings without it. */
  async evidenceOn({ orderRef, state }: JournalRow): Promise<Evidence> {
    const { doubts } = this.#search
    const candidates = state === 'unknown' ? await doubts.candidates(orderRef) : []
    return { candidates, absence: await doubts.absence(orderRef) }
  }

  /** @throws ServiceError `conflict` when another order, or another GTT for a GTT, already has the id */
  async #requireFree({ broker, operation, orderRef }: JournalRow, id: string | undefined): Promise<void> {
    if (id === undefined) return
    const isGtt = operation === GTT
    const holder = isGtt
      ? await this.journal.findByTriggerId(broker, id)
      : await this.journal.findByOrderId(broker, id)
    if (!holder || holder.orderRef === orderRef) return
    throw new ServiceError(
      'conflict',
      `orderid: ${id} is the id of ${isGtt ? 'GTT' : 'order'} ${holder.orderRef}.`,
    )
  }

  /** @throws ServiceError `conflict` when the broker knows the id as that of an order about something else */
  async #requireFitting(row: JournalRow, id: string | undefined): Promise<void> {
    if (id === undefined || row.operation === GTT || row.broker !== this.broker.brokerId) return
    const order = await this.#orderAt(id)
    if (!order) return
    const { action, exchange, symbol } = order
    if (symbol === row.symbol && exchange === row.exchange && action === row.action) return
    const isAbout = `${action} ${order.quantity} ${exchange}:${symbol}`
    throw new ServiceError('conflict', `orderid: ${id} is an order to ${isAbout}, not this one.`)
  }

  /** Returns an order as the broker knows it; undefined if it cannot tell. */
  async #orderAt(id: string): Promise<BrokerOrder | undefined> {
    try {
      return await this.broker.client().orders.order?.(id)
    } catch {
      return undefined
    }
  }

  /** Searches for every order in doubt. Concurrent calls share one search. */
  searchNow(): Promise<void> {
    this.#running ??= this.#searchAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #searchAll(): Promise<void> {
    await this.#handleFresh()
    await this.#searchFor(await this.journal.inState('unknown'))
  }

  /**
   * Searches the book of the active broker for its orders. A search that fails leaves its orders in doubt.
   * @returns whether the book answered for every order
   */
  async #searchFor(inDoubt: readonly JournalRow[]): Promise<boolean> {
    const rows = inDoubt.filter(({ broker }) => broker === this.broker.brokerId)
    let isRead = rows.length === inDoubt.length
    if (rows.length === 0) return isRead
    try {
      const reading = await DoubtReading.of(this.#search, rows)
      for (const row of rows) {
        isRead = (await this.#searchOne(row, reading)) && isRead
        crashPoint('reconcile.midPage')
      }
      return isRead
    } catch (error) {
      this.ports.log.warn('reconcile_failed', { orders: rows.length, error: messageOf(error) })
      return false
    }
  }

  /** Returns whether the book answered. */
  async #searchOne(row: JournalRow, reading: DoubtReading): Promise<boolean> {
    try {
      await this.#apply(row, await reading.of(row))
      return true
    } catch (error) {
      this.ports.log.warn('reconcile_failed', { order_ref: row.orderRef, error: messageOf(error) })
      return false
    }
  }

  /** Publishes new doubts, and records the ends that could not be recorded earlier. */
  async #handleFresh(): Promise<void> {
    for (const [orderRef, end] of this.#fresh) {
      try {
        await (end ? this.#recordLate(orderRef, end) : this.#noteDoubt(orderRef))
        this.#fresh.delete(orderRef)
      } catch (error) {
        this.ports.log.warn('reconcile_failed', { order_ref: orderRef, error: messageOf(error) })
      }
    }
  }

  /**
   * Records an end and completes the key and the approval. The caller and the clients already have the
   * result.
   */
  async #recordLate(orderRef: string, { state, detail }: KnownEnd): Promise<void> {
    await this.journal.move(orderRef, state, detail)
    const order = await this.journal.find(orderRef)
    if (order) await this.#completeWaiting(order)
  }

  async #noteDoubt(orderRef: string): Promise<void> {
    await this.journal.move(orderRef, 'unknown', { reason: 'Its result could not be recorded' })
    const order = await this.journal.find(orderRef)
    if (order?.state !== 'unknown') return
    this.ports.publish({ topic: 'order.in_doubt', order, message: order.reason ?? UNKNOWN_OUTCOME })
  }

  async #apply(row: JournalRow, finding: Finding): Promise<void> {
    if (finding.kind === 'found') {
      const { settledBy } = finding
      const { state, reason = FOUND_BY[settledBy], ...facts } = finding.found
      const detail = { ...facts, reason, settledBy }
      if (await this.journal.move(row.orderRef, state, detail)) await this.#tellSettled(row)
    } else if (finding.kind === 'never_received') {
      const { reason, settledBy } = finding
      await this.#conclude(row, 'rejected', { endCause: 'not_received', reason, settledBy })
    } else if (row.state !== 'lapsed') {
      await this.journal.countLookup(row.orderRef)
    }
  }

  /**
   * Ends a doubt without a word of the broker. An update of the broker since the row was read counts more: nothing changes
   * then.
   * @returns whether this ended it
   */
  async #conclude(row: JournalRow, to: OrderState, detail: StateDetail): Promise<boolean> {
    const hasEnded = await this.journal.moveFrom(row.state, row.orderRef, to, detail)
    if (hasEnded) await this.#tellSettled(row)
    return hasEnded
  }

  async #tellSettled({ orderRef, state }: JournalRow): Promise<void> {
    if (state !== 'lapsed') return this.settled(orderRef)
    // Its caller and its approval had their answer long ago.
    const order = await this.journal.find(orderRef)
    if (order) this.#publishSettled(order)
  }

  #publishSettled(order: JournalRow): void {
    const message = order.reason ?? `Settled as ${order.state}`
    this.ports.publish({ topic: 'order.in_doubt', order, message })
  }

  /**
   * Passes the end of a settled order to its key, its approval and the clients. A search or an update of the
   * broker has settled it.
   */
  async settled(orderRef: string): Promise<void> {
    const order = await this.journal.find(orderRef)
    if (!order) return
    const result = await this.#completeWaiting(order)
    this.#publishSettled(order)
    if (result && codeOf(result) === 'ok' && order.operation === SINGLE) this.#publishPlaced(order, result)
  }

  /**
   * Completes the caller's key and the approval with the result of the whole request.
   * @returns the result; undefined while other orders of the request are being executed
   */
  async #completeWaiting(order: JournalRow): Promise<OrderResult | undefined> {
    const { approvalId, batchRef, operation, orderRef } = order
    const isGtt = operation === GTT
    const end = endOf(order)
    const batch = batchRef === null ? undefined : await this.ports.resultOfBatch(batchRef)
    if (batchRef !== null && !batch) return undefined
    const result = batch?.result ?? resultOfEnd(end, isGtt)
    if (isInDoubt(result)) return result
    if (!result.unfinished) await this.idempotency.completeFor(batchRef ?? orderRef, result)
    if (approvalId !== null) {
      const rows = batchRef === null ? [order] : await this.journal.inBatch(batchRef)
      const approved = batch
        ? approvalOfBatch(batch, statusIn(rows))
        : isGtt
          ? approvalOfGtt(end, statusIn(rows))
          : approvalOfEnd(end, statusIn(rows))
      await this.ports.settleApproval(approvalId, approved)
    }
    return result
  }

  /** Publishes an order that turned out to be placed, like one whose broker answered at once. */
  #publishPlaced({ operation, request, userId }: JournalRow, result: OrderResult): void {
    const payload = parseWith(placeOrderPayload, JSON.parse(request))
    publishPlaced(this.ports, { mode: 'live', userId, operation, request: payload, result }, payload)
  }

  #schedule(): void {
    this.clock.clear(this.#timer)
    const delay = BACKOFF_MS[Math.min(this.#attempt, BACKOFF_MS.length - 1)] ?? 60_000
    this.#attempt += 1
    this.#timer = this.clock.setTimeout(() => void this.#again(), delay)
  }

  async #again(): Promise<void> {
    try {
      await this.searchNow()
      if (this.#fresh.size === 0 && (await this.journal.inState('unknown')).length === 0) return
    } catch (error) {
      // The journal may be readable later, so the search goes on.
      this.ports.log.warn('reconcile_failed', { error: messageOf(error) })
    }
    this.#schedule()
  }
}

function unreadBook({ orderRef, broker }: JournalRow): ServiceError {
  return new ServiceError(
    'conflict',
    `The order book of ${broker} could not be read, and order ${orderRef} may be in it. Try again when ${broker} answers, or give force (--force) if you have looked there yourself.`,
  )
}
