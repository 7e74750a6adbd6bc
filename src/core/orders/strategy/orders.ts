import { BrokerError } from '../../brokers/broker.js'
import { messageOf, publicMessageOf, type Refusal, ServiceError } from '../../errors/index.js'
import { fromMoney } from '../../money/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { PositionName } from '../account/positions.js'
import { endOfError, type OrderEnd, refusedByGate } from '../end.js'
import { orderIdAt } from '../journal/broker-id.js'
import type { JournalEntry, OrderJournal } from '../journal/journal.js'
import type { KeyedQueue } from '../keyed-queue.js'
import { slotOf } from '../multi/kind.js'
import { isOrderRef, newOrderRef } from '../order-ref.js'
import { type Claimed, type Claims, claimAdmitted } from '../pipeline/claims.js'
import { queueRequest } from '../pipeline/enqueue.js'
import type { ClaimedOrder } from '../place/claimed-order.js'
import type { OrderExecution } from '../place/execution.js'
import { fieldProblem } from '../place/field-rules.js'
import {
  isOtherAccount,
  type LiveOrders,
  type OrderPorts,
  type QueuePort,
  SANDBOX,
  type SandboxExecution,
} from '../ports.js'
import { publishPlaced } from '../publish.js'
import { resultOfEnd } from '../result.js'
import { type OrderRequest, type PlaceOrderPayload, placeOrderPayload, toOrderRequest } from '../schema.js'
import { OrderChanges } from './order-changes.js'
import { StrategyOrderStore, unsent, type WaitingOrder } from './order-store.js'
import { StrategyPositions } from './positions.js'
import type { SentBy, SentOrder, StrategyOrder, StrategyOrderEnd, StrategyOrderState } from './schema.js'

const PLACE = 'placeorder'
const BY_STRATEGY = 'strategy'
const CANCELLED = 'Cancelled before it was sent'
const UNWANTED = 'The strategy no longer wants the order'
/** Smart orders and closes of a position wait so long for the answers to its exits. */
const LONGEST_HOLD_MS = 2_000

/** Hears of the sessions of the broker. It must not block. */
interface SessionListener {
  onSession(): void
  /** @returns the positions that nothing protects now, in words */
  onSessionEnd(broker: string): readonly string[]
}

interface StrategyOrdersParts {
  db: Database
  claims: Claims
  clock: Clock
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  execution: OrderExecution
  sandbox: Pick<
    SandboxExecution,
    'newOrderId' | 'cancel' | 'ordersWith' | 'ordersOf' | 'quantities' | 'resetAt'
  >
  queue: QueuePort
  ports: OrderPorts
  /** The slots in which smart orders and closes read a position and then trade on it. */
  slots: KeyedQueue
}

/** No order is approved before the runs are known. */
const NOT_RESTORED: Refusal = { code: 'unavailable', message: 'The runs of strategies are not restored yet.' }

/** The answer to a cancel. */
export type CancelOutcome = { ok: true } | { ok: false; message: string }

/** An order as the order path takes it. */
interface Request {
  order: StrategyOrder
  payload: PlaceOrderPayload
  request: OrderRequest
}

/**
 * The orders of strategies. Each has a reference before it is placed, which its strategy stores first. After a
 * crash {@link statesOf} returns for each reference whether its order was sent, and its fills.
 */
export class StrategyOrders {
  readonly changes: OrderChanges
  /** The positions of the accounts of runs. */
  readonly positions: StrategyPositions
  readonly #parts: StrategyOrdersParts
  readonly #store: StrategyOrderStore
  #onReset: (userIds: readonly string[]) => void = () => undefined
  #refusalOfEntry: (orderRef: string) => Refusal | undefined = () => NOT_RESTORED
  #sessions: SessionListener | undefined
  /** The orders that are being placed, and whether their strategy has cancelled them. Not all of them have a row yet. */
  readonly #placing = new Map<string, { isCancelled: boolean }>()

  constructor(parts: StrategyOrdersParts) {
    this.#parts = parts
    this.#store = new StrategyOrderStore(parts.db)
    this.positions = new StrategyPositions(parts)
    this.changes = new OrderChanges((refs) => this.statesOf(refs), parts.clock, parts.ports.log)
  }

  /** Returns a reference for an order of this mode, never returned before. */
  newReference(mode: TradingMode): string {
    return mode === 'analyze' ? this.#parts.sandbox.newOrderId() : newOrderRef(this.#parts.clock)
  }

  /**
   * Places an order under its reference, and reports its changes from then on. Never throws: an order that
   * could not be stored was not sent.
   */
  place(order: StrategyOrder): Promise<StrategyOrderEnd> {
    const placed = this.#placed(order)
    if (order.role === 'exit') this.#hold(order, placed)
    return placed
  }

  /**
   * Resolves when the smart orders and closes of these positions have ended, or stand aside before their next piece; undefined
   * if none is under way.
   */
  tradesUnderWay(positions: readonly PositionName[]): Promise<unknown> | undefined {
    const ends = positions.flatMap((position) => this.#parts.slots.goFirst(slotOf(position)) ?? [])
    return ends.length === 0 ? undefined : Promise.all(ends)
  }

  /** An exit never waits for the slot of its position. A reader of the position waits for the exit. */
  #hold(order: StrategyOrder, placed: Promise<unknown>): void {
    const { clock, slots } = this.#parts
    const waiting = new AbortController()
    const waited = clock.sleep(LONGEST_HOLD_MS, waiting.signal).catch(() => undefined)
    const until = Promise.race([placed, waited]).finally(() => waiting.abort())
    slots.hold(slotOf(order), until)
  }

  async #placed(order: StrategyOrder): Promise<StrategyOrderEnd> {
    const { orderRef } = order
    this.changes.watch([orderRef])
    this.#placing.set(orderRef, { isCancelled: false })
    let placed: { payload: PlaceOrderPayload; end: StrategyOrderEnd }
    try {
      const payload = payloadOf(order)
      placed = { payload, end: await this.#place({ order, payload, request: toOrderRequest(payload) }) }
    } catch (error) {
      return this.#notSent(order, error)
    } finally {
      this.#placing.delete(orderRef)
    }
    const { end, payload } = placed
    if (end.outcome !== 'queued') this.#publish(order, payload, end)
    return end
  }

  #notSent(order: StrategyOrder, error: unknown): OrderEnd {
    const { orderRef, userId } = order
    const { ports } = this.#parts
    ports.log.error('strategy_order_not_sent', { order_ref: orderRef, error: messageOf(error) })
    ports.publishFault({ operation: PLACE, userId, request: order }, error)
    const known = error instanceof ServiceError ? error : new ServiceError('internal', publicMessageOf(error))
    return endOfError('not_sent', orderRef, known)
  }

  async #place(request: Request): Promise<StrategyOrderEnd> {
    const { order, payload } = request
    const { orderRef } = order
    const problem = fieldProblem(payload)
    if (problem) return { outcome: 'refused', orderRef, code: 'validation', message: problem }
    if (order.mode === 'analyze') return this.#simulate(request)
    return order.role === 'entry' ? this.#enter(request) : this.#exit(request)
  }

  /**
   * The sandbox follows no prices while the service is in Live mode. An order that it could not fill at once
   * would wait there, so it is cancelled.
   */
  async #simulate(request: Request): Promise<OrderEnd> {
    const { ports, sandbox } = this.#parts
    const { orderRef } = request.order
    const end = await this.#execute(request, entryOf(request, SANDBOX), {
      veto: () => (this.#isCancelled(orderRef) ? REFUSED_AS_CANCELLED : undefined),
    })
    if (end.outcome === 'placed' && ports.mode() !== 'analyze') {
      await sandbox.cancel(request.order.userId, end.orderId)
    }
    return end
  }

  async #enter(request: Request): Promise<StrategyOrderEnd> {
    const { broker, ports, queue, risk } = this.#parts
    const { order, payload } = request
    const { orderRef, userId } = order
    if (ports.mode() !== 'live') {
      const message = 'The service is in Analyzer mode: a live run sends no entry.'
      return { outcome: 'refused', orderRef, code: 'conflict', message }
    }
    if (queue.shouldQueue(userId, PLACE)) {
      const ltp = await ports.queuePrice(payload)
      if (this.#isCancelled(orderRef)) return cancelledEnd(orderRef)
      const ofRun = { orderRef, broker: order.broker }
      const { pendingOrderId } = await queueRequest(queue, { userId, queuedAs: PLACE, payload, ltp, ofRun })
      const isWithdrawn =
        this.#isCancelled(orderRef) && (await queue.withdraw(userId, pendingOrderId, BY_STRATEGY, UNWANTED))
      return isWithdrawn ? cancelledEnd(orderRef) : { outcome: 'queued', orderRef, pendingOrderId }
    }
    broker.requireReady()
    const elsewhere = this.#elsewhere(order)
    if (elsewhere) return elsewhere
    const asked = { userId, mode: 'live', order: request.request } as const
    const end = await claimAdmitted(risk, asked, async () => {
      // The broker may be another one since the gate was asked.
      const switched = this.#elsewhere(order)
      return switched ? { refused: switched } : this.#claim(request)
    })
    if ('byGate' in end) return refusedByGate(end.byGate, orderRef)
    return 'refused' in end ? end.refused : this.#execute(request, end.claimed, { admitted: true })
  }

  /** Sends an exit. It needs no approval and passes no switch, because the position is there. */
  async #exit(request: Request): Promise<OrderEnd> {
    this.#parts.broker.client()
    const elsewhere = this.#elsewhere(request.order)
    if (elsewhere) return elsewhere
    const end = await this.#claim(request)
    return 'refused' in end ? end.refused : this.#execute(request, end.claimed)
  }

  /** Refuses an order while another broker or account is active: an exit there would open a position. */
  #elsewhere({ accountId, broker, orderRef }: StrategyOrder): OrderEnd | undefined {
    const active = this.#parts.broker
    const isElsewhere = active.brokerId !== broker
    if (!isElsewhere && !isOtherAccount(active, accountId)) return undefined
    const message = isElsewhere
      ? `The run belongs to the broker ${broker}, and ${active.brokerId} is active.`
      : `The run belongs to the account ${accountId} at ${broker}, and ${active.accountId} is signed in.`
    return { outcome: 'not_sent', orderRef, code: 'conflict', message }
  }

  /**
   * A cancel finds no order before its row is stored, so the order looks for the cancel itself. The row has the broker of
   * the run: the order is sent only while that is the active one.
   */
  async #claim(request: Request): Promise<Claimed<JournalEntry, OrderEnd>> {
    const { claims, journal } = this.#parts
    const { broker, orderRef } = request.order
    const refused = cancelledEnd(orderRef)
    if (this.#isCancelled(orderRef)) return { refused }
    const entry = entryOf(request, broker)
    await claims.store({ mode: 'live', ref: orderRef, entries: [entry] })
    const isTakenBack = this.#isCancelled(orderRef) && (await journal.takeBack(orderRef, CANCELLED))
    return isTakenBack ? { refused } : { claimed: entry }
  }

  #isCancelled(orderRef: string): boolean {
    return this.#placing.get(orderRef)?.isCancelled === true
  }

  #execute(
    request: Request,
    entry: JournalEntry,
    more: Pick<ClaimedOrder, 'admitted' | 'veto'> = {},
  ): Promise<OrderEnd> {
    const { accountId, role } = request.order
    const isEntry = role === 'entry'
    return this.#parts.execution.one({
      accountId,
      entry,
      order: request.request,
      gated: isEntry,
      exits: !isEntry,
      ...more,
    })
  }

  /**
   * Cancels an order that may still trade: before it has a row, in the approval queue, before it is sent, at the broker
   * or in the sandbox. The change itself is reported like any other. Never throws.
   */
  async cancel(orderRef: string, userId: string): Promise<CancelOutcome> {
    const placing = this.#placing.get(orderRef)
    if (placing) placing.isCancelled = true
    try {
      if (!isOrderRef(orderRef)) return await this.#cancelSimulated(orderRef, userId, placing !== undefined)
      const queued = await this.#store.queued(orderRef)
      const withdrawn = queued && (await this.#parts.queue.withdraw(userId, queued.id, BY_STRATEGY, UNWANTED))
      return withdrawn ? { ok: true } : await this.#cancelLive(orderRef, placing !== undefined)
    } catch (error) {
      const message = error instanceof BrokerError ? error.message : publicMessageOf(error)
      this.#parts.ports.log.warn('strategy_order_not_cancelled', {
        order_ref: orderRef,
        error: messageOf(error),
      })
      return { ok: false, message: message || 'Broker refused strategy cancellation' }
    }
  }

  async #cancelSimulated(orderId: string, userId: string, isPlacing: boolean): Promise<CancelOutcome> {
    const outcome = await this.#parts.sandbox.cancel(userId, orderId)
    // An order that the sandbox does not know yet is refused there.
    return outcome.ok || isPlacing ? { ok: true } : { ok: false, message: outcome.message }
  }

  async #cancelLive(orderRef: string, isPlacing: boolean): Promise<CancelOutcome> {
    const { broker, journal } = this.#parts
    const row = await journal.find(orderRef)
    if (!row) return isPlacing ? { ok: true } : { ok: false, message: 'The order was never sent' }
    if (row.state === 'claimed' && (await journal.takeBack(orderRef, CANCELLED))) return { ok: true }
    const orderId = orderIdAt(broker.brokerId, row)
    if (orderId === undefined) return { ok: false, message: 'Broker order id is unavailable' }
    await broker.orderSlot('cancel')
    if (broker.brokerId !== row.broker) return { ok: false, message: 'The broker was changed' }
    await broker.client().orders.cancel(orderId)
    return { ok: true }
  }

  /** Sets the guard of entries that wait for approval: it returns why nobody wants the entry any more. */
  guardEntries(refusalOf: (orderRef: string) => Refusal | undefined): void {
    this.#refusalOfEntry = refusalOf
  }

  /** Returns why an entry that waits for approval must not be sent now. */
  refusalOfEntry(orderRef: string): Refusal | undefined {
    return this.#refusalOfEntry(orderRef)
  }

  /** Returns every entry that waits for approval, of all strategies. */
  waiting(): Promise<WaitingOrder[]> {
    return this.#store.waiting()
  }

  /** Rejects an entry that waits for approval. Returns false if it was decided before. */
  withdraw({ id, userId }: WaitingOrder, reason: string): Promise<boolean> {
    return this.#parts.queue.withdraw(userId, id, BY_STRATEGY, reason)
  }

  /** Returns the durable state of each order, in the order of the references. */
  async statesOf(orderRefs: readonly string[]): Promise<StrategyOrderState[]> {
    const simulated = orderRefs.filter((ref) => !isOrderRef(ref))
    const [live, sandbox] = await Promise.all([
      this.#store.statesOf(orderRefs),
      simulated.length === 0 ? [] : this.#parts.sandbox.ordersWith(simulated),
    ])
    const states = new Map(live.map((state) => [state.orderRef, state]))
    for (const order of sandbox) states.set(order.orderId, stateOfSimulated(order))
    return orderRefs.map((ref) => states.get(ref) ?? unsent(ref))
  }

  /** Returns the orders that a strategy has sent, oldest first. */
  async sentBy(strategy: SentBy): Promise<SentOrder[]> {
    if (strategy.mode === 'live') return this.#store.sentBy(strategy)
    const sent = await this.#parts.sandbox.ordersOf(strategy.userId, strategy.strategy, strategy.since)
    return sent.map(({ orderId, ...order }) => ({ ...order, orderRef: orderId }))
  }

  /** Sets the listener for sandbox accounts that were reset. It must not block. */
  listenToResets(listener: (userIds: readonly string[]) => void): void {
    this.#onReset = listener
  }

  /** Notes sandbox accounts that were reset: the positions and orders of their runs are gone. */
  noteReset(userIds: readonly string[]): void {
    this.#onReset(userIds)
  }

  /** Returns when the sandbox account of a user was last reset; undefined if it never was. */
  resetAt(userId: string): Promise<number | undefined> {
    return this.#parts.sandbox.resetAt(userId)
  }

  /** Sets the listener for sessions of the broker that begin or end. It must not block. */
  listenToBroker(listener: SessionListener): void {
    this.#sessions = listener
  }

  /** Notes that a session of the broker began. */
  noteBroker(): void {
    this.#sessions?.onSession()
  }

  /** Notes that the session of a broker ended. @returns the positions that nothing protects now, in words */
  noteSessionEnd(broker: string): readonly string[] {
    return this.#sessions?.onSessionEnd(broker) ?? []
  }

  /** Notes requests of the approval queue that were rejected or have expired. */
  noteRejected(pendingIds: readonly number[]): void {
    void this.changes.noteFound(() => this.#store.refsOf(pendingIds))
  }

  /** A fault of the event must not hide the end: an exit that counts as not sent would be sent again. */
  #publish(order: StrategyOrder, payload: PlaceOrderPayload, end: OrderEnd): void {
    const { ports } = this.#parts
    const { mode, userId } = order
    const { orderRef, ...result } = resultOfEnd(end)
    const shown = mode === 'analyze' ? { ...result, mode } : { ...result, orderRef: orderRef ?? '' }
    try {
      publishPlaced(ports, { mode, userId, operation: PLACE, request: payload, result: shown }, payload)
    } catch (error) {
      ports.log.error('strategy_order_not_published', {
        order_ref: order.orderRef,
        error: messageOf(error),
      })
    }
  }
}

const REFUSED_AS_CANCELLED = { ok: false, code: 'conflict', message: CANCELLED } as const

function cancelledEnd(orderRef: string): OrderEnd {
  return { outcome: 'refused', orderRef, code: 'conflict', message: CANCELLED }
}

type SimulatedOrder = Awaited<ReturnType<SandboxExecution['ordersWith']>>[number]

function stateOfSimulated(order: SimulatedOrder): StrategyOrderState {
  const { averagePrice, filledQuantity, orderId, rejectionReason, status } = order
  return {
    orderRef: orderId,
    status: status === 'trigger pending' ? 'open' : status,
    orderId,
    filledQuantity,
    averagePrice: averagePrice > 0n ? fromMoney(averagePrice) : null,
    reason: rejectionReason || null,
  }
}

function payloadOf({ strategy, symbol, exchange, action, quantity, product }: StrategyOrder) {
  const wanted = { strategy, symbol, exchange, action, quantity, product, pricetype: 'MARKET' }
  const read = placeOrderPayload.safeParse(wanted)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new ServiceError('validation', `${issue?.path.join('.') ?? 'order'}: ${issue?.message ?? 'invalid'}`)
}

function entryOf({ order, payload }: Request, broker: string): JournalEntry {
  const { mode, orderRef, userId } = order
  return { orderRef, userId, operation: PLACE, source: 'strategy', mode, broker, state: 'claimed', payload }
}
