import { messageOf, publicMessageOf, ServiceError } from '../../errors/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { endOfError, type OrderEnd, refusedByGate } from '../end.js'
import type { JournalEntry } from '../journal/entry.js'
import type { OrderJournal } from '../journal/journal.js'
import type { KeyedQueue } from '../keyed-queue.js'
import { slotOf } from '../multi/kind.js'
import { type Claimed, type Claims, claimAdmitted } from '../pipeline/claims.js'
import { queueRequest } from '../pipeline/enqueue.js'
import type { ClaimedOrder } from '../place/claimed-order.js'
import type { OrderExecution } from '../place/execution.js'
import { fieldProblem } from '../place/field-rules.js'
import { noteRefusedRequest } from '../place/refused.js'
import {
  isOtherAccount,
  type LiveOrders,
  type OrderPorts,
  type QueuePort,
  SANDBOX,
  type SandboxExecution,
} from '../ports.js'
import { publishPlaced } from '../publish/publish.js'
import { resultOfEnd } from '../result.js'
import { type OrderRequest, type PlaceOrderPayload, placeOrderPayload, toOrderRequest } from '../schema.js'
import type { StrategyOrder, StrategyOrderEnd } from './schema.js'

const PLACE = 'placeorder'
export const BY_STRATEGY = 'strategy'
export const CANCELLED = 'Cancelled before it was sent'
export const UNWANTED = 'The strategy no longer wants the order'
/** Smart orders and closes of a position wait so long for the answers to its exits. */
const LONGEST_HOLD_MS = 2_000

/** The services that an order of a strategy passes. */
interface Services {
  claims: Claims
  clock: Clock
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  execution: OrderExecution
  sandbox: Pick<SandboxExecution, 'cancel'>
  queue: QueuePort
  ports: OrderPorts
  /** The slots in which smart orders and closes read a position and then trade on it. */
  slots: KeyedQueue
}

/** An order as the order path takes it. */
interface Request {
  order: StrategyOrder
  payload: PlaceOrderPayload
  request: OrderRequest
}

/**
 * Places the orders of strategies. Their way is not that of other requests: they have no key, because their strategy stores
 * their reference first; an exit asks neither queue nor gate; and a strategy may cancel an order at any moment before it is sent.
 */
export class StrategyPlacing {
  /** The orders that are being placed, and whether their strategy has cancelled them. Not all of them have a row yet. */
  readonly #placing = new Map<string, { isCancelled: boolean }>()
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  /** Places an order under its reference. Never throws: an order that could not be stored was not sent. */
  place(order: StrategyOrder): Promise<StrategyOrderEnd> {
    const placed = this.#placed(order)
    if (order.role === 'exit') this.#hold(order, placed)
    return placed
  }

  /** Stops an order that is not sent yet. @returns whether it is being placed */
  cancel(orderRef: string): boolean {
    const placing = this.#placing.get(orderRef)
    if (placing) placing.isCancelled = true
    return placing !== undefined
  }

  /** An exit never waits for the slot of its position. A reader of the position waits for the exit. */
  #hold(order: StrategyOrder, placed: Promise<unknown>): void {
    const { clock, slots } = this.#services
    const waiting = new AbortController()
    const waited = clock.sleep(LONGEST_HOLD_MS, waiting.signal).catch(() => undefined)
    const until = Promise.race([placed, waited]).finally(() => waiting.abort())
    slots.hold(slotOf(order), until)
  }

  async #placed(order: StrategyOrder): Promise<StrategyOrderEnd> {
    const { orderRef } = order
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
    const { ports } = this.#services
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
    const { ports, sandbox } = this.#services
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
    const { broker, ports, queue, risk } = this.#services
    const { order, payload } = request
    const { orderRef, userId } = order
    if (ports.mode() !== 'live') {
      const message = 'The service is in Analyzer mode: a live run sends no entry.'
      return { outcome: 'refused', orderRef, code: 'conflict', message }
    }
    if (order.mustWait || queue.shouldQueue(userId, PLACE)) {
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
    if ('byGate' in end) {
      const refused = refusedByGate(end.byGate, orderRef)
      const ofRun = { operation: PLACE, orderRef, source: BY_STRATEGY, userId, mode: 'live' } as const
      noteRefusedRequest(ports, {}, { ...ofRun, request: payload }, refused)
      return refused
    }
    return 'refused' in end ? end.refused : this.#execute(request, end.claimed, { admitted: true })
  }

  /** Sends an exit. It needs no approval and passes no switch, because the position is there. */
  async #exit(request: Request): Promise<OrderEnd> {
    this.#services.broker.client()
    const elsewhere = this.#elsewhere(request.order)
    if (elsewhere) return elsewhere
    const end = await this.#claim(request)
    return 'refused' in end ? end.refused : this.#execute(request, end.claimed)
  }

  /** Refuses an order while another broker or account is active: an exit there would open a position. */
  #elsewhere({ accountId, broker, orderRef }: StrategyOrder): OrderEnd | undefined {
    const active = this.#services.broker
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
    const { claims, journal } = this.#services
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
    return this.#services.execution.one({
      accountId,
      entry,
      order: request.request,
      gated: isEntry,
      exits: !isEntry,
      ...more,
    })
  }

  /** A fault of the event must not hide the end: an exit that counts as not sent would be sent again. */
  #publish(order: StrategyOrder, payload: PlaceOrderPayload, end: OrderEnd): void {
    const { ports } = this.#services
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

function payloadOf({ strategy, symbol, exchange, action, quantity, product }: StrategyOrder) {
  const terms = { strategy, symbol, exchange, action, quantity, product, pricetype: 'MARKET' }
  const read = placeOrderPayload.safeParse(terms)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new ServiceError('validation', `${issue?.path.join('.') ?? 'order'}: ${issue?.message ?? 'invalid'}`)
}

function entryOf({ order, payload }: Request, broker: string): JournalEntry {
  const { mode, orderRef, userId } = order
  return { orderRef, userId, operation: PLACE, source: 'strategy', mode, broker, state: 'claimed', payload }
}
