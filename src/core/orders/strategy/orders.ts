import { BrokerError } from '../../brokers/broker.js'
import { messageOf, publicMessageOf, type Refusal } from '../../errors/index.js'
import { fromMoney } from '../../money/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { PositionName } from '../account/positions.js'
import { orderIdAt } from '../journal/broker-id.js'
import type { OrderJournal } from '../journal/journal.js'
import type { KeyedQueue } from '../keyed-queue.js'
import { slotOf } from '../multi/kind.js'
import { isOrderRef } from '../order-ref.js'
import type { Claims } from '../pipeline/claims.js'
import type { OrderExecution } from '../place/execution.js'
import type { LiveOrders, OrderPorts, QueuePort, SandboxExecution } from '../ports.js'
import { OrderChanges } from './order-changes.js'
import { StrategyOrderStore, unsent, type WaitingOrder } from './order-store.js'
import { BY_STRATEGY, CANCELLED, StrategyPlacing, UNWANTED } from './placing.js'
import { StrategyPositions } from './positions.js'
import type { SentBy, SentOrder, StrategyOrder, StrategyOrderEnd, StrategyOrderState } from './schema.js'

/** Hears of the sessions of the broker. It must not block. */
interface SessionListener {
  onSession(): void
  /** @returns the positions that nothing protects now, in words */
  onSessionEnd(broker: string, nextStep: string): readonly string[]
  /** Returns the live positions of runs at a broker, in words. */
  heldAt(broker: string): readonly string[]
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

/** The runs as the approval of their entries sees them. */
export interface EntryGuard {
  /** Resolves when the orders that come before an entry have ended or filled, or after a moment. */
  ready(orderRef: string): Promise<unknown>
  /** Returns why an entry must not be sent now. */
  refusalOf(orderRef: string): Refusal | undefined
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
  #entries: EntryGuard = { ready: async () => undefined, refusalOf: () => NOT_RESTORED }
  #sessions: SessionListener | undefined
  readonly #placing: StrategyPlacing

  constructor(parts: StrategyOrdersParts) {
    this.#parts = parts
    this.#store = new StrategyOrderStore(parts.db)
    this.#placing = new StrategyPlacing(parts)
    this.positions = new StrategyPositions(parts)
    this.changes = new OrderChanges((refs) => this.statesOf(refs), parts.clock, parts.ports.log)
  }

  /** Returns a reference for an order of this mode, never returned before. */
  newReference(mode: TradingMode): string {
    const { claims, sandbox } = this.#parts
    return claims.reference(mode, () => sandbox.newOrderId())
  }

  /**
   * Places an order under its reference, and reports its changes from then on. Never throws: an order that
   * could not be stored was not sent.
   */
  place(order: StrategyOrder): Promise<StrategyOrderEnd> {
    this.changes.watch([order.orderRef])
    return this.#placing.place(order)
  }

  /**
   * Resolves when the smart orders and closes of these positions have ended, or stand aside before their next piece; undefined
   * if none is under way.
   */
  tradesUnderWay(positions: readonly PositionName[]): Promise<unknown> | undefined {
    const ends = positions.flatMap((position) => this.#parts.slots.goFirst(slotOf(position)) ?? [])
    return ends.length === 0 ? undefined : Promise.all(ends)
  }

  /**
   * Cancels an order that may still trade: before it has a row, in the approval queue, before it is sent, at the broker
   * or in the sandbox. The change itself is reported like any other. Never throws.
   */
  async cancel(orderRef: string, userId: string): Promise<CancelOutcome> {
    const isPlacing = this.#placing.cancel(orderRef)
    try {
      if (!isOrderRef(orderRef)) return await this.#cancelSimulated(orderRef, userId, isPlacing)
      const queued = await this.#store.queued(orderRef)
      const withdrawn = queued && (await this.#parts.queue.withdraw(userId, queued.id, BY_STRATEGY, UNWANTED))
      return withdrawn ? { ok: true } : await this.#cancelLive(orderRef, isPlacing)
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
    await broker.client().orders.prepareChange?.(orderId, 'cancel')
    await broker.orderSlot('cancel')
    if (broker.brokerId !== row.broker) return { ok: false, message: 'The broker was changed' }
    await broker.client().orders.cancel(orderId)
    return { ok: true }
  }

  /** Sets the guard of entries that wait for approval. */
  guardEntries(guard: EntryGuard): void {
    this.#entries = guard
  }

  /** Resolves when the orders of the same start that come before an entry have ended or filled, or after a moment. */
  async entryReady(orderRef: string): Promise<void> {
    await this.changes.settled()
    await this.#entries.ready(orderRef)
  }

  /** Returns why an entry that waits for approval must not be sent now. */
  refusalOfEntry(orderRef: string): Refusal | undefined {
    return this.#entries.refusalOf(orderRef)
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

  /**
   * Notes that the session of a broker ended, or that another broker is the active one.
   * @param nextStep the command after which orders go there again
   * @returns the positions that nothing protects now, in words
   */
  noteSessionEnd(broker: string, nextStep: string): readonly string[] {
    return this.#sessions?.onSessionEnd(broker, nextStep) ?? []
  }

  /** Returns the live positions of runs at a broker, in words. */
  heldAt(broker: string): readonly string[] {
    return this.#sessions?.heldAt(broker) ?? []
  }

  /** Notes requests of the approval queue that were rejected or have expired. */
  noteRejected(pendingIds: readonly number[]): void {
    void this.changes.noteFound(() => this.#store.refsOf(pendingIds))
  }
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
