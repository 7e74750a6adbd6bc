import type {
  ApprovalExecutor,
  ApprovalResult,
  ApprovedRequest,
  QueuedOrder,
} from '../../approvals/schema.js'
import { BrokerError } from '../../brokers/broker.js'
import { type ErrorCode, type Refusal, ServiceError } from '../../errors/index.js'
import { type RiskGate, refusalCode } from '../../risk/index.js'
import type { Tx } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { parseWith } from '../../validation/index.js'
import { endOfError, endOfStop, type OrderEnd } from '../end.js'
import type { GttOrders } from '../gtt/gtt-orders.js'
import { orderBehind, type PlaceGttPayload, queuedGttPayload, toGttRequest } from '../gtt/schema.js'
import type { JournalEntry, OrderJournal } from '../journal/journal.js'
import { endOf } from '../journal/result.js'
import type { Batches } from '../multi/batches.js'
import type { Run } from '../multi/kind.js'
import type { ApprovedMulti, MultiOrders } from '../multi/multi-orders.js'
import { isOrderRef, newOrderRef } from '../order-ref.js'
import type { SingleOrders } from '../place/single-orders.js'
import {
  type LiveOrders,
  type OrderPorts,
  SANDBOX,
  type SandboxExecution,
  type SandboxGtts,
} from '../ports.js'
import {
  type OrderRequest,
  type OrderStatus,
  type PlaceOrderPayload,
  placeOrderPayload,
  toOrderRequest,
} from '../schema.js'
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

interface ExecutorParts {
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
  /** Returns why the strategy of an entry does not want it any more. */
  refusalOfEntry(orderRef: string): Refusal | undefined
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

  open(order: QueuedOrder): ApprovedRequest {
    const { begin, execute, recheck } = this.#open(order)
    return {
      recheck: async () => this.#unready() ?? (await recheck()),
      begin,
      execute: async (ref) => this.#withoutSession(await execute(ref)),
    }
  }

  #open(order: QueuedOrder): ApprovedRequest {
    const { operation, payload } = order
    if (this.parts.multi.supports(operation)) {
      return this.#multi(order, this.parts.multi.open(operation, { ...payload }))
    }
    if (operation === GTT) return this.#gtt(order, parseWith(queuedGttPayload, payload))
    return this.#single(order, parseWith(placeOrderPayload, payload))
  }

  #multi({ id, userId }: QueuedOrder, request: ApprovedMulti): ApprovedRequest {
    const run = (): Run => ({ userId, source: 'approval', mode: this.parts.ports.mode() })
    return {
      recheck: () => request.recheck(run()),
      begin: (tx) => request.beginIn(tx, run(), id),
      execute: async (batchRef) => {
        const { result, plan, ends } = await request.execute(batchRef)
        if (!plan || !ends) return approvalWithoutOrder(result)
        return approvalOfBatch({ plan, ends }, await this.#statusesNow(userId, batchRef, ends))
      },
    }
  }

  #gtt(order: QueuedOrder, payload: PlaceGttPayload): ApprovedRequest {
    const { gtts } = this.parts
    return {
      recheck: () => this.#refusalOf(order, orderBehind(toGttRequest(payload))),
      begin: (tx) => this.#journal(tx, gtts.newApproved(payload, order.userId, order.id)),
      execute: async (orderRef) =>
        approvalOfGtt(
          await gtts.executeApproved(await this.#claimedEntry(orderRef, order, payload), payload),
        ),
    }
  }

  #single(order: QueuedOrder, payload: PlaceOrderPayload): ApprovedRequest {
    const { broker, ports, single } = this.parts
    /** The account at the broker when the order was claimed. */
    let accountId: string | undefined
    return {
      recheck: async () =>
        this.#refusalByRun(order) ?? (await this.#refusalOf(order, toOrderRequest(payload))),
      begin: (tx) => {
        // The broker or the run may have changed since the check.
        const refusal = this.#refusalByRun(order)
        if (refusal) throw new ServiceError(refusal.code, refusal.message)
        accountId = broker.accountId
        return this.#journal(tx, this.#newEntry(order, payload, ports.mode()))
      },
      execute: async (orderRef) => {
        const entry = await this.#claimedEntry(orderRef, order, payload)
        const unready = entry.mode === 'live' ? await this.#withoutBroker(entry) : undefined
        if (unready) return unready
        const end = await single.executeApproved(entry, payload, accountId)
        return approvalOfEnd(end, await this.#statusesNow(order.userId, orderRef, [end]))
      },
    }
  }

  /**
   * A strategy's order belongs to its live run: it goes to the broker of the run, in Live mode, or nowhere. A run that is
   * over, reserved or stopping gets no new position, because nobody would manage it.
   */
  #refusalByRun({ ofRun }: QueuedOrder): Refusal | undefined {
    if (!ofRun) return undefined
    const { broker, ports } = this.parts
    if (ports.mode() !== 'live') {
      const message = 'The order belongs to the live run of a strategy, and the service is in Analyzer mode.'
      return { code: 'conflict', message }
    }
    if (ofRun.broker !== null && ofRun.broker !== broker.brokerId) {
      const message = `The order belongs to a run at the broker ${ofRun.broker}, and ${broker.brokerId} is active.`
      return { code: 'conflict', message }
    }
    return this.parts.refusalOfEntry(ofRun.orderRef)
  }

  async #refusalOf({ userId }: QueuedOrder, request: OrderRequest): Promise<Refusal | undefined> {
    const refusal = await this.parts.risk.examine(userId, this.parts.ports.mode(), request)
    return refusal && { code: refusalCode(refusal), message: refusal.message }
  }

  /**
   * Stores the claim of an order. In Analyzer mode it is only the order's id; the sandbox writes the rest.
   */
  async #journal(tx: Tx, entry: JournalEntry): Promise<string> {
    if (entry.mode === 'live') await this.parts.journal.openIn(tx, entry)
    return entry.orderRef
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
    // The journal has no orders of Analyzer mode.
    if (row) {
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
    const { message } = refusal
    await this.parts.journal.move(orderRef, 'rejected', { endCause: 'not_sent', reason: message })
    return approvalOfEnd(endOfError('not_sent', orderRef, refusal))
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
    return { outcome: 'failed', code: 'forbidden', message: 'Authentication failed', detail }
  }

  #newEntry(order: QueuedOrder, payload: PlaceOrderPayload, mode: TradingMode): JournalEntry {
    const { broker, clock, sandbox } = this.parts
    const simulated = mode === 'analyze' && order.ofRun === undefined
    return {
      orderRef: order.ofRun?.orderRef ?? (simulated ? sandbox.newOrderId() : newOrderRef(clock)),
      userId: order.userId,
      operation: order.operation,
      source: 'approval',
      mode: simulated ? 'analyze' : 'live',
      broker: simulated ? SANDBOX : broker.brokerId,
      state: 'claimed',
      payload,
      approvalId: order.id,
    }
  }

  /** Returns the entry of a claim: the journal's row, or a new entry for an order of Analyzer mode. */
  async #claimedEntry(
    orderRef: string,
    { userId, operation, id: approvalId }: QueuedOrder,
    payload: JournalEntry['payload'],
  ): Promise<JournalEntry> {
    const row = await this.parts.journal.find(orderRef)
    if (!row && isOrderRef(orderRef)) {
      throw new Error(`the journal has no ${orderRef}, which an approval was claimed with`)
    }
    return {
      orderRef,
      userId,
      operation,
      source: 'approval',
      state: 'claimed',
      payload,
      approvalId,
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
