import type { ApprovalExecutor, ApprovalResult, QueuedOrder, Refusal } from '../../approvals/schema.js'
import { BrokerError } from '../../brokers/broker.js'
import { type ErrorCode, ServiceError } from '../../errors/index.js'
import { type RiskGate, refusalCode, type TradingMode } from '../../risk/index.js'
import type { Tx } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { parseWith } from '../../validation/index.js'
import type { GttOrders } from '../gtt/gtt-orders.js'
import { orderBehind, type PlaceGttPayload, queuedGttPayload, toGttRequest } from '../gtt/schema.js'
import type { JournalEntry, JournalRow, OrderJournal } from '../journal/journal.js'
import { answerFor } from '../journal/result.js'
import type { Batches } from '../multi/batches.js'
import type { Run } from '../multi/kind.js'
import type { MultiOrders } from '../multi/multi-orders.js'
import { newOrderRef } from '../order-ref.js'
import type { SingleOrders } from '../place/single-orders.js'
import type { LiveOrders, OrderPorts, SandboxExecution } from '../ports.js'
import { messageOfAnswer } from '../publish.js'
import type { OrderResult } from '../result.js'
import {
  type OrderRequest,
  type OrderStatus,
  type PlaceOrderPayload,
  placeOrderPayload,
  toOrderRequest,
} from '../schema.js'
import { resultFromJournal, resultOf } from './result.js'

const SINGLE = 'placeorder'
const GTT = 'placegttorder'
/** What a broker that cannot be used at all refuses with: no session, or no such broker. */
const NO_SESSION: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['forbidden', 'broker_missing'])

export interface ExecutorParts {
  clock: Clock
  single: SingleOrders
  multi: MultiOrders
  batches: Batches
  gtts: GttOrders
  journal: OrderJournal
  risk: RiskGate
  sandbox: SandboxExecution
  broker: LiveOrders
  ports: Pick<OrderPorts, 'mode'>
}

/**
 * Executes approved orders through the one order path, past the queue. The attempt is journalled in the same
 * transaction as the approval's claim, so that whatever happens afterwards can be found out.
 */
export class ApprovedOrderExecutor implements ApprovalExecutor {
  constructor(private readonly parts: ExecutorParts) {}

  supports(operation: string): boolean {
    return operation === SINGLE || operation === GTT || this.parts.multi.supports(operation)
  }

  async recheck(userId: string, order: QueuedOrder): Promise<Refusal | undefined> {
    const unready = this.#unready()
    if (unready) return unready
    if (this.parts.multi.supports(order.operation)) return this.#recheckComposite(userId, order)
    const request =
      order.operation === GTT ? orderBehind(toGttRequest(gttOf(order))) : toOrderRequest(payloadOf(order))
    const refusal = await this.parts.risk.examine(userId, this.parts.ports.mode(), request)
    return refusal && { code: refusalCode(refusal), message: refusal.message }
  }

  async begin(tx: Tx, order: QueuedOrder): Promise<string> {
    const { broker, clock, multi, gtts, journal, ports, sandbox } = this.parts
    const mode = ports.mode()
    if (order.operation === GTT) return gtts.beginIn(tx, gttOf(order), order.userId, order.id)
    if (multi.supports(order.operation)) {
      return multi.beginIn(tx, order.operation, runOf(order.userId, mode), order.id)
    }
    const orderRef = mode === 'analyze' ? sandbox.newOrderId() : newOrderRef(clock)
    await journal.openIn(tx, {
      orderRef,
      userId: order.userId,
      operation: order.operation,
      source: 'approval',
      mode,
      broker: mode === 'analyze' ? 'sandbox' : broker.brokerId,
      state: 'claimed',
      payload: payloadOf(order),
      approvalId: order.id,
    })
    return orderRef
  }

  async execute(orderRef: string, order: QueuedOrder): Promise<ApprovalResult> {
    return this.#withoutSession(await this.#execute(orderRef, order))
  }

  async #execute(orderRef: string, order: QueuedOrder): Promise<ApprovalResult> {
    const { multi, gtts } = this.parts
    if (order.operation === GTT) return resultOf(await gtts.execute(await this.#row(orderRef), gttOf(order)))
    if (multi.supports(order.operation)) {
      const payload = { ...order.payload }
      return this.#withStatuses(order, await multi.execute(order.operation, orderRef, payload))
    }
    const entry = entryOf(await this.#row(orderRef), payloadOf(order))
    const request = toOrderRequest(entry.payload)
    const refusal = await this.parts.risk.admit(entry.userId, entry.mode, request)
    if (refusal) {
      await this.parts.journal.move(orderRef, 'rejected', { endCause: 'not_sent', reason: refusal.message })
      return { outcome: 'failed', code: refusalCode(refusal), httpStatus: 403, message: refusal.message }
    }
    return entry.mode === 'analyze' ? this.#simulate(entry, request) : this.#send(entry, request)
  }

  async resume(orderRef: string, order: QueuedOrder): Promise<ApprovalResult> {
    const { batches, multi, gtts, journal } = this.parts
    if (multi.supports(order.operation)) return resultFromJournal(await batches.resume(orderRef), journal)
    if (order.operation === GTT) {
      return resultFromJournal(await gtts.resume(await this.#row(orderRef)), journal)
    }
    const row = await this.#row(orderRef)
    if (row.state !== 'claimed') return resultFromJournal(answerFor(row), journal)
    if (row.mode === 'analyze') {
      const placed = await this.parts.sandbox.statusOf(row.userId, orderRef)
      if (placed) {
        await this.parts.journal.move(orderRef, 'accepted', { orderId: orderRef })
        return { outcome: 'placed', orders: [{ orderId: orderRef, orderStatus: placed }] }
      }
    }
    const message = 'The service stopped before the order was sent'
    await this.parts.journal.move(orderRef, 'rejected', { endCause: 'not_sent', reason: message })
    return { outcome: 'failed', code: 'unavailable', httpStatus: 503, message }
  }

  /** Asks the broker for its book: a session may have ended without a word, and whoever may not read may not order. */
  async withoutSession(): Promise<string | undefined> {
    const { broker, ports } = this.parts
    if (ports.mode() !== 'live') return undefined
    try {
      await broker.client().orders.list()
      return undefined
    } catch (error) {
      const isMissing = error instanceof ServiceError && NO_SESSION.has(error.code)
      const isRefused = error instanceof BrokerError && error.kind === 'auth'
      return isMissing || isRefused ? `There is no broker session: ${error.message}` : undefined
    }
  }

  async #recheckComposite(userId: string, order: QueuedOrder): Promise<Refusal | undefined> {
    const run = runOf(userId, this.parts.ports.mode())
    const refused = await this.parts.multi.recheck(order.operation, run, { ...order.payload })
    if (!refused || refused.code === 'ok') return undefined
    return { code: refused.code, message: messageOfAnswer(refused) }
  }

  /** The statuses of orders just placed, by one look at the book; the approval does not depend on them. */
  async #withStatuses({ userId }: QueuedOrder, answer: OrderResult): Promise<ApprovalResult> {
    const result = resultOf(answer)
    if (result.outcome !== 'placed') return result
    const { broker, sandbox } = this.parts
    try {
      const live = answer.body.mode === 'analyze' ? undefined : await broker.client().orders.list()
      const statusOf = async (orderId: string) =>
        live ? live.find((row) => row.orderId === orderId)?.status : sandbox.statusOf(userId, orderId)
      const orders = result.orders.map(async ({ orderId }) => {
        const orderStatus = await statusOf(orderId)
        return { orderId, ...(orderStatus && { orderStatus }) }
      })
      return { ...result, orders: await Promise.all(orders) }
    } catch {
      return result
    }
  }

  async #simulate(entry: JournalEntry<PlaceOrderPayload>, request: OrderRequest): Promise<ApprovalResult> {
    const answer = await this.parts.single.simulateEntry(entry, request)
    const accepted = answer.code === 'ok'
    await this.parts.journal.move(entry.orderRef, accepted ? 'accepted' : 'rejected', {
      ...(accepted ? { orderId: entry.orderRef } : { reason: String(answer.body.message) }),
    })
    const status = await this.parts.sandbox.statusOf(entry.userId, entry.orderRef)
    return resultOf(answer, () => status)
  }

  async #send(entry: JournalEntry<PlaceOrderPayload>, request: OrderRequest): Promise<ApprovalResult> {
    const unready = await this.#withoutBroker(entry)
    if (unready) {
      this.parts.risk.release(request)
      return unready
    }
    const answer = await this.parts.single.sendEntry(entry, request)
    const status = answer.code === 'ok' ? await this.#statusAtBroker(entry.orderRef) : undefined
    return resultOf(answer, () => status)
  }

  /** What passes by itself leaves the order pending; a missing session fails it, as specified. */
  #unready(): Refusal | undefined {
    const { broker, ports } = this.parts
    if (ports.mode() !== 'live') return undefined
    const refusal = refusalBy(broker)
    return refusal?.code === 'unavailable' ? { code: refusal.code, message: refusal.message } : undefined
  }

  /** Without a broker that takes orders nothing is sent, and the journal says so. */
  async #withoutBroker({ orderRef }: JournalEntry): Promise<ApprovalResult | undefined> {
    const refusal = refusalBy(this.parts.broker)
    if (!refusal) return undefined
    const { code, httpStatus, message } = refusal
    await this.parts.journal.move(orderRef, 'rejected', { endCause: 'not_sent', reason: message })
    return { outcome: 'failed', code, httpStatus, message }
  }

  /**
   * What failed because there is no broker session is told in the words of the specification ("Action Center", Errors);
   * which session is missing, and how to get one, stays beside it.
   */
  #withoutSession(result: ApprovalResult): ApprovalResult {
    if (result.outcome !== 'failed' || !NO_SESSION.has(result.code)) return result
    const refusal = refusalBy(this.parts.broker)
    if (refusal?.message !== result.message) return result
    const { message: detail } = refusal
    return { outcome: 'failed', code: 'forbidden', httpStatus: 403, message: 'Authentication failed', detail }
  }

  /** One look at the order's status; the approval does not depend on it. */
  async #statusAtBroker(orderRef: string): Promise<OrderStatus | undefined> {
    try {
      return (await this.parts.broker.client().orders.findByTag(orderRef))?.status
    } catch {
      return undefined
    }
  }

  async #row(orderRef: string): Promise<JournalRow> {
    const row = await this.parts.journal.find(orderRef)
    if (!row) throw new Error(`the journal has no ${orderRef}, which an approval was claimed with`)
    return row
  }
}

/** Why the broker takes no new orders now, if it takes none. */
function refusalBy(broker: LiveOrders): ServiceError | undefined {
  try {
    broker.requireReady()
    return undefined
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

function runOf(userId: string, mode: TradingMode): Run {
  return { userId, source: 'approval', mode }
}

function gttOf(order: QueuedOrder): PlaceGttPayload {
  return parseWith(queuedGttPayload, order.payload)
}

function payloadOf(order: QueuedOrder): PlaceOrderPayload {
  return parseWith(placeOrderPayload, order.payload)
}

function entryOf(row: JournalRow, payload: PlaceOrderPayload): JournalEntry<PlaceOrderPayload> {
  return {
    orderRef: row.orderRef,
    userId: row.userId,
    operation: row.operation,
    source: 'approval',
    mode: row.mode === 'analyze' ? 'analyze' : 'live',
    broker: row.broker,
    state: 'claimed',
    payload,
    ...(row.approvalId !== null && { approvalId: row.approvalId }),
  }
}
