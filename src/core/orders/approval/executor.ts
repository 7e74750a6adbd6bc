import type { ApprovalExecutor, ApprovalResult, QueuedOrder, Refusal } from '../../approvals/schema.js'
import { BrokerError } from '../../brokers/broker.js'
import { type ErrorCode, ServiceError } from '../../errors/index.js'
import { type RiskGate, refusalCode } from '../../risk/index.js'
import type { Tx } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { parseWith } from '../../validation/index.js'
import { endOfStop, type OrderEnd } from '../end.js'
import type { GttOrders } from '../gtt/gtt-orders.js'
import { orderBehind, type PlaceGttPayload, queuedGttPayload, toGttRequest } from '../gtt/schema.js'
import type { JournalEntry, OrderJournal } from '../journal/journal.js'
import { endOf } from '../journal/result.js'
import type { Batches } from '../multi/batches.js'
import type { Run } from '../multi/kind.js'
import type { MultiOrders } from '../multi/multi-orders.js'
import { isOrderRef, newOrderRef } from '../order-ref.js'
import type { SingleOrders } from '../place/single-orders.js'
import {
  type LiveOrders,
  type OrderPorts,
  SANDBOX,
  type SandboxExecution,
  type SandboxGtts,
} from '../ports.js'
import { messageOfAnswer } from '../publish.js'
import { type OrderStatus, type PlaceOrderPayload, placeOrderPayload, toOrderRequest } from '../schema.js'
import {
  approvalOfBatch,
  approvalOfEnd,
  approvalOfGtt,
  approvalWithoutOrder,
  type StatusOf,
  statusIn,
} from './result.js'

const SINGLE = 'placeorder'
const GTT = 'placegttorder'
/** The error codes of a broker that cannot be used at all: no session, or no such broker. */
const NO_SESSION: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['forbidden', 'broker_missing'])

export interface ExecutorParts {
  clock: Clock
  single: SingleOrders
  multi: MultiOrders
  batches: Batches
  gtts: GttOrders
  /** The sandbox's GTTs. */
  gttBook: Pick<SandboxGtts, 'knows'>
  journal: OrderJournal
  risk: RiskGate
  sandbox: SandboxExecution
  broker: LiveOrders
  ports: Pick<OrderPorts, 'mode'>
}

/**
 * Executes approved orders through the common order path, without the queue. The transaction of the
 * approval's claim also journals the attempt, so that its outcome can be found after a crash.
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
    const { gtts, multi, journal, ports } = this.parts
    const mode = ports.mode()
    if (multi.supports(order.operation)) {
      return multi.beginIn(tx, order.operation, runOf(order.userId, mode), order.id)
    }
    const entry =
      order.operation === GTT
        ? gtts.newApproved(gttOf(order), order.userId, order.id)
        : this.#newEntry(order, mode)
    // In Analyzer mode the claim stores only the order's id; the sandbox writes the rest.
    if (mode === 'live') await journal.openIn(tx, entry)
    return entry.orderRef
  }

  async execute(orderRef: string, order: QueuedOrder): Promise<ApprovalResult> {
    return this.#withoutSession(await this.#execute(orderRef, order))
  }

  async #execute(orderRef: string, order: QueuedOrder): Promise<ApprovalResult> {
    const { gtts, multi, single } = this.parts
    if (multi.supports(order.operation)) {
      const { answer, plan, ends } = await multi.execute(order.operation, orderRef, { ...order.payload })
      if (!plan || !ends) return approvalWithoutOrder(answer)
      return approvalOfBatch({ plan, ends }, await this.#statusesNow(order.userId, orderRef, ends))
    }
    const entry = await this.#claimedEntry(orderRef, order)
    if (order.operation === GTT) return approvalOfGtt(await gtts.executeApproved(entry, gttOf(order)))
    const unready = entry.mode === 'live' ? await this.#withoutBroker(entry) : undefined
    if (unready) return unready
    const end = await single.executeApproved(entry, payloadOf(order))
    return approvalOfEnd(end, await this.#statusesNow(order.userId, orderRef, [end]))
  }

  async resume(orderRef: string, order: QueuedOrder): Promise<ApprovalResult> {
    const { batches, journal, multi } = this.parts
    if (multi.supports(order.operation)) {
      const result = await batches.resultOf(orderRef)
      if (result) return approvalOfBatch(result, statusIn(await journal.inBatch(orderRef)))
      return approvalOfEnd((await batches.wasPlanned(orderRef)) ? inDoubt(orderRef) : endOfStop(orderRef))
    }
    const isGtt = order.operation === GTT
    const row = await journal.find(orderRef)
    // The journal has no orders of Analyzer mode, except those that earlier versions wrote.
    if (row?.mode === 'live') {
      return isGtt ? approvalOfGtt(endOf(row), statusIn([row])) : approvalOfEnd(endOf(row), statusIn([row]))
    }
    return isGtt ? this.#resumeSimulatedGtt(orderRef, order) : this.#resumeSimulated(orderRef, order)
  }

  async #resumeSimulated(orderId: string, { userId }: QueuedOrder): Promise<ApprovalResult> {
    const orderStatus = await this.parts.sandbox.statusOf(userId, orderId)
    if (!orderStatus) return approvalOfEnd(endOfStop(orderId))
    return { outcome: 'placed', orders: [{ orderId, orderStatus }] }
  }

  async #resumeSimulatedGtt(triggerId: string, { userId }: QueuedOrder): Promise<ApprovalResult> {
    const isKnown = await this.parts.gttBook.knows(userId, triggerId)
    if (!isKnown) return approvalOfEnd(endOfStop(triggerId))
    return approvalOfGtt({ outcome: 'placed', orderRef: triggerId, orderId: triggerId })
  }

  /**
   * Reads the broker's book as a test: a session can end without notice, and one that cannot read cannot
   * order.
   */
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

  /**
   * Reads the statuses of orders just placed, with one read of the book. The approval does not depend on
   * them.
   */
  async #statusesNow(userId: string, ref: string, ends: readonly OrderEnd[]): Promise<StatusOf> {
    const { broker, sandbox } = this.parts
    const placed = ends.flatMap((end) => (end.outcome === 'placed' ? [end.orderId] : []))
    const statuses = new Map<string, OrderStatus>()
    try {
      if (placed.length > 0 && isLiveRef(ref, ends)) {
        for (const { orderId, status } of await broker.client().orders.list()) statuses.set(orderId, status)
      } else {
        for (const orderId of placed) {
          const status = await sandbox.statusOf(userId, orderId)
          if (status) statuses.set(orderId, status)
        }
      }
    } catch {
      // Without a status an order counts as open.
    }
    return (orderId) => statuses.get(orderId)
  }

  /**
   * Refuses for a temporary reason, so that the order stays pending. A missing session instead fails the
   * order.
   */
  #unready(): Refusal | undefined {
    const { broker, ports } = this.parts
    if (ports.mode() !== 'live') return undefined
    const refusal = refusalBy(broker)
    return refusal?.code === 'unavailable' ? { code: refusal.code, message: refusal.message } : undefined
  }

  /** Records in the journal that nothing was sent, when no broker can take the order. */
  async #withoutBroker({ orderRef }: JournalEntry): Promise<ApprovalResult | undefined> {
    const refusal = refusalBy(this.parts.broker)
    if (!refusal) return undefined
    const { code, httpStatus, message } = refusal
    await this.parts.journal.move(orderRef, 'rejected', { endCause: 'not_sent', reason: message })
    return { outcome: 'failed', code, httpStatus, message }
  }

  /**
   * Gives a failure without a broker session the text of the public API. The detail keeps which session is
   * missing and how to get one.
   */
  #withoutSession(result: ApprovalResult): ApprovalResult {
    if (result.outcome !== 'failed' || !NO_SESSION.has(result.code)) return result
    const refusal = refusalBy(this.parts.broker)
    if (refusal?.message !== result.message) return result
    const { message: detail } = refusal
    return { outcome: 'failed', code: 'forbidden', httpStatus: 403, message: 'Authentication failed', detail }
  }

  #newEntry(order: QueuedOrder, mode: TradingMode): JournalEntry {
    const { broker, clock, sandbox } = this.parts
    const simulated = mode === 'analyze'
    return {
      orderRef: simulated ? sandbox.newOrderId() : newOrderRef(clock),
      userId: order.userId,
      operation: order.operation,
      source: 'approval',
      mode,
      broker: simulated ? SANDBOX : broker.brokerId,
      state: 'claimed',
      payload: payloadOf(order),
      approvalId: order.id,
    }
  }

  /** Returns the entry of a claim: the journal's row, or a new entry for an order of Analyzer mode. */
  async #claimedEntry(orderRef: string, order: QueuedOrder): Promise<JournalEntry> {
    const row = await this.parts.journal.find(orderRef)
    if (!row && isOrderRef(orderRef)) {
      throw new Error(`the journal has no ${orderRef}, which an approval was claimed with`)
    }
    const payload = order.operation === GTT ? gttOf(order) : payloadOf(order)
    const { userId, operation, id: approvalId } = order
    return {
      ...{ orderRef, userId, operation, source: 'approval', state: 'claimed', payload, approvalId },
      mode: row ? 'live' : 'analyze',
      broker: row?.broker ?? SANDBOX,
    }
  }
}

/** Returns whether orders went to a broker: the sandbox's ids look different. */
function isLiveRef(ref: string, [first]: readonly OrderEnd[]): boolean {
  return isOrderRef(ref) || isOrderRef(first?.orderRef ?? '')
}

function inDoubt(orderRef: string): OrderEnd {
  return { outcome: 'in_doubt', orderRef }
}

/** Returns why the broker takes no new orders now; undefined when it takes them. */
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
