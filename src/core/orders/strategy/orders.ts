import { BrokerError } from '../../brokers/broker.js'
import { messageOf, publicMessageOf, ServiceError } from '../../errors/index.js'
import { fromMoney } from '../../money/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { endOfError, type OrderEnd, refusedByGate } from '../end.js'
import { orderIdAt } from '../journal/broker-id.js'
import type { JournalEntry, OrderJournal } from '../journal/journal.js'
import { isOrderRef, newOrderRef } from '../order-ref.js'
import type { OrderExecution } from '../place/execution.js'
import { fieldProblem } from '../place/field-rules.js'
import { type LiveOrders, type OrderPorts, type QueuePort, SANDBOX, type SandboxExecution } from '../ports.js'
import { publishPlaced } from '../publish.js'
import { resultOfEnd } from '../result.js'
import { type OrderRequest, type PlaceOrderPayload, placeOrderPayload, toOrderRequest } from '../schema.js'
import { OrderChanges } from './order-changes.js'
import { StrategyOrderStore, unsent } from './order-store.js'
import type { StrategyOrder, StrategyOrderEnd, StrategyOrderState } from './schema.js'

const PLACE = 'placeorder'
const BY_STRATEGY = 'strategy'

interface StrategyOrdersParts {
  db: Database
  clock: Clock
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  execution: OrderExecution
  sandbox: Pick<SandboxExecution, 'newOrderId' | 'cancel' | 'ordersWith'>
  queue: QueuePort
  ports: OrderPorts
}

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
 * crash {@link statesOf} tells of each reference whether its order was sent, and what has filled.
 */
export class StrategyOrders {
  readonly changes: OrderChanges
  readonly #parts: StrategyOrdersParts
  readonly #store: StrategyOrderStore

  constructor(parts: StrategyOrdersParts) {
    this.#parts = parts
    this.#store = new StrategyOrderStore(parts.db)
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
  async place(order: StrategyOrder): Promise<StrategyOrderEnd> {
    const { orderRef, userId } = order
    const { ports } = this.#parts
    this.changes.watch([orderRef])
    try {
      const payload = payloadOf(order)
      const end = await this.#place({ order, payload, request: toOrderRequest(payload) })
      if (end.outcome !== 'queued') this.#publish(order, payload, end)
      return end
    } catch (error) {
      ports.log.error('strategy_order_not_sent', { order_ref: orderRef, error: messageOf(error) })
      ports.publishFault({ operation: PLACE, userId, request: order }, error)
      const known =
        error instanceof ServiceError ? error : new ServiceError('internal', publicMessageOf(error))
      return endOfError('not_sent', orderRef, known)
    }
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
    const end = await this.#execute(request, SANDBOX)
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
      const pendingOrderId = await queue.enqueue(userId, PLACE, { ...payload }, { ltp, orderRef })
      return { outcome: 'queued', orderRef, pendingOrderId }
    }
    broker.requireReady()
    const elsewhere = this.#elsewhere(order)
    if (elsewhere) return elsewhere
    const refused = await risk.admit(userId, 'live', request.request)
    if (refused) return refusedByGate(refused, orderRef)
    try {
      return await this.#journalled(request, true)
    } catch (error) {
      risk.release(request.request)
      throw error
    }
  }

  /** An exit asks nobody: the position is there. It needs only its broker. */
  async #exit(request: Request): Promise<OrderEnd> {
    this.#parts.broker.client()
    return this.#elsewhere(request.order) ?? this.#journalled(request, false)
  }

  /** Refuses an order while another broker is active: an exit there would open a position. */
  #elsewhere({ broker, orderRef }: StrategyOrder): OrderEnd | undefined {
    const active = this.#parts.broker.brokerId
    if (active === broker) return undefined
    const message = `The run belongs to the broker ${broker}, and ${active} is active.`
    return { outcome: 'refused', orderRef, code: 'conflict', message }
  }

  async #journalled(request: Request, admitted: boolean): Promise<OrderEnd> {
    const { brokerId } = this.#parts.broker
    await this.#parts.journal.open(entryOf(request, brokerId))
    return this.#execute(request, brokerId, admitted)
  }

  #execute(request: Request, broker: string, admitted = false): Promise<OrderEnd> {
    const isEntry = request.order.role === 'entry'
    return this.#parts.execution.one({
      entry: entryOf(request, broker),
      order: request.request,
      gated: isEntry,
      exits: !isEntry,
      admitted,
    })
  }

  /**
   * Cancels an order that may still trade: in the approval queue, before it is sent, at the broker or in the
   * sandbox. The change itself is reported like any other. Never throws.
   */
  async cancel(orderRef: string, userId: string): Promise<CancelOutcome> {
    try {
      if (!isOrderRef(orderRef)) return await this.#cancelSimulated(orderRef, userId)
      const queued = await this.#store.queued(orderRef)
      const withdrawn =
        queued &&
        (await this.#parts.queue.withdraw(
          userId,
          queued.id,
          BY_STRATEGY,
          'The strategy no longer wants the order',
        ))
      return withdrawn ? { ok: true } : await this.#cancelLive(orderRef)
    } catch (error) {
      const message = error instanceof BrokerError ? error.message : publicMessageOf(error)
      this.#parts.ports.log.warn('strategy_order_not_cancelled', {
        order_ref: orderRef,
        error: messageOf(error),
      })
      return { ok: false, message: message || 'Broker refused strategy cancellation' }
    }
  }

  async #cancelSimulated(orderId: string, userId: string): Promise<CancelOutcome> {
    const outcome = await this.#parts.sandbox.cancel(userId, orderId)
    return outcome.ok ? { ok: true } : { ok: false, message: outcome.message }
  }

  async #cancelLive(orderRef: string): Promise<CancelOutcome> {
    const { broker, journal } = this.#parts
    const row = await journal.find(orderRef)
    if (!row) return { ok: false, message: 'The order was never sent' }
    if (row.state === 'claimed') {
      // Only one of this and the sender moves it from `claimed`.
      const reason = 'Cancelled before it was sent'
      if (await journal.move(orderRef, 'rejected', { endCause: 'stopped', reason })) return { ok: true }
    }
    const orderId = orderIdAt(broker.brokerId, row)
    if (orderId === undefined) return { ok: false, message: 'Broker order id is unavailable' }
    await broker.orderSlot(true)
    if (broker.brokerId !== row.broker) return { ok: false, message: 'The broker was changed' }
    await broker.client().orders.cancel(orderId)
    return { ok: true }
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

  /** Notes requests of the approval queue that were rejected or have expired. */
  noteRejected(pendingIds: readonly number[]): void {
    void this.#store
      .refsOf(pendingIds)
      .then((refs) => this.changes.note(refs))
      .catch((error: unknown) => {
        this.#parts.ports.log.error('strategy_orders.read_failed', { error: messageOf(error) })
      })
  }

  #publish(order: StrategyOrder, payload: PlaceOrderPayload, end: OrderEnd): void {
    const { mode, userId } = order
    const { orderRef, ...result } = resultOfEnd(end)
    const shown = mode === 'analyze' ? { ...result, mode } : { ...result, orderRef: orderRef ?? '' }
    publishPlaced(
      this.#parts.ports,
      { mode, userId, operation: PLACE, request: payload, result: shown },
      payload,
    )
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
