import { createHash } from 'node:crypto'
import { crashPoint, ServiceError } from '../../errors/index.js'
import { formatMoney, timesQuantity, toMoney } from '../../money/index.js'
import type { RiskGate, TradingMode } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { queueRequest } from '../approval/enqueue.js'
import { type OrderEnd, refusedByGate } from '../end.js'
import type { Idempotency, KeyClaim, StoredKey } from '../journal/idempotency.js'
import type { JournalEntry, JournalRow, OrderJournal } from '../journal/journal.js'
import { endOf, isRecent, wasNotSent } from '../journal/result.js'
import { retryObjection } from '../journal/retry.js'
import { newOrderRef } from '../order-ref.js'
import {
  type LiveOrders,
  type OrderPorts,
  type PlaceContext,
  type QueuePort,
  SANDBOX,
  type SandboxExecution,
} from '../ports.js'
import { messageOfAnswer } from '../publish.js'
import { publishingFaults } from '../publish-failure.js'
import { failure, type OrderResult, resultOfEnd, success } from '../result.js'
import { type OrderRequest, type PlaceOrderPayload, toOrderRequest } from '../schema.js'
import type { OrderExecution } from './execution.js'
import { fieldProblem } from './field-rules.js'
import { instrumentProblem } from './instrument-check.js'

const PLACE = 'placeorder'

export interface SingleOrdersParts {
  clock: Clock
  journal: OrderJournal
  idempotency: Idempotency
  risk: RiskGate
  sandbox: SandboxExecution
  broker: LiveOrders
  execution: OrderExecution
  queue: QueuePort
  ports: OrderPorts
}

/** A request of one order, and where it goes. */
interface Request {
  payload: PlaceOrderPayload
  order: OrderRequest
  context: PlaceContext
  mode: TradingMode
}

/**
 * Requests of a single order, whoever places them: the API, workflows, later strategies. The payload has been validated
 * at the edge, and the API key has been resolved to `userId`.
 */
export class SingleOrders {
  readonly #parts: SingleOrdersParts

  constructor(parts: SingleOrdersParts) {
    this.#parts = parts
  }

  /** Places one order: queued, simulated or sent, as the user's and the service's modes say. */
  place(payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const { idempotency, ports } = this.#parts
    const { idempotencyKey: key, userId } = context
    return publishingFaults(ports, { operation: PLACE, userId, request: payload }, () => {
      if (key === undefined) return this.#place(payload, context, undefined)
      return idempotency.run(
        { userId, key, requestHash: hashOf(payload) },
        (claim) => this.#place(payload, context, claim),
        (stored) => this.#resume(stored, payload, context),
      )
    })
  }

  /** Executes an approved order under the reference of its claim, past the queue. */
  async executeApproved(entry: JournalEntry, payload: PlaceOrderPayload): Promise<OrderEnd> {
    const { mode, source, userId } = entry
    const request = { payload, order: toOrderRequest(payload), context: { userId, source }, mode }
    const end = await this.#parts.execution.one({ entry, order: request.order, gated: true })
    this.#publish(request, resultOfEnd(end))
    return end
  }

  async #place(
    payload: PlaceOrderPayload,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    const { ports, queue, risk } = this.#parts
    if (queue.shouldQueue(context.userId, PLACE)) return this.#enqueue(payload, context, claim)
    const request = { payload, order: toOrderRequest(payload), context, mode: ports.mode() }
    const problem = fieldProblem(payload)
    if (problem) return this.#publish(request, failure('validation', 400, problem))
    const refusal = await risk.admit(context.userId, request.mode, request.order)
    if (refusal) return this.#publish(request, resultOfEnd(refusedByGate(refusal, '')))
    try {
      return await this.#execute(request, await this.#claim(request, claim))
    } catch (error) {
      // Thrown before it left: the execution answers for everything after.
      risk.release(request.order)
      throw error
    }
  }

  async #enqueue(
    payload: PlaceOrderPayload,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    const { ports, queue } = this.#parts
    const ltp = await ports.queuePrice(payload)
    return queueRequest(queue, { userId: context.userId, queuedAs: PLACE, payload, ltp }, claim)
  }

  /** Makes the order durable before it may leave: live in the journal, simulated under its caller's key, if any. */
  async #claim(request: Request, claim: KeyClaim | undefined): Promise<JournalEntry | OrderResult> {
    const { broker, clock, journal, sandbox } = this.#parts
    if (request.mode === 'analyze') {
      const orderId = sandbox.newOrderId()
      crashPoint('orders.intake.beforeCommit')
      await claim?.write('analyze', orderId)
      return entryOf(request, orderId, SANDBOX)
    }
    const unready = this.#unready()
    if (unready) return unready
    const entry = entryOf(request, newOrderRef(clock), broker.brokerId)
    crashPoint('orders.intake.beforeCommit')
    await journal.open(entry, claim && ((tx) => claim.writeIn(tx, 'live', entry.orderRef)))
    crashPoint('orders.intake.afterCommit')
    return entry
  }

  /** Executes an admitted order and publishes its end. @throws the storage fault of a simulated order */
  async #execute(request: Request, claimed: JournalEntry | OrderResult): Promise<OrderResult> {
    const { execution, risk } = this.#parts
    const { context, order } = request
    if ('status' in claimed) {
      risk.release(order)
      return this.#publish(request, claimed)
    }
    const end = await execution.one({ entry: claimed, order, gated: true, admitted: true, caller: context })
    if (request.mode === 'analyze') crashPoint('orders.intake.afterCommit')
    // A retry under the key executes it again: nothing was.
    if (end.outcome === 'not_sent' && end.fault !== undefined) throw end.fault
    const result = this.#publish(request, resultOfEnd(end))
    crashPoint('orders.intake.beforeReply')
    return result
  }

  /** Why the broker takes no order now. A missing session is answered and not published: the caller can mend it. */
  #unready(): OrderResult | undefined {
    try {
      this.#parts.broker.requireReady()
      return undefined
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'forbidden') throw error
      return failure(error.code, error.httpStatus, error.message)
    }
  }

  /** The answer for a key whose order was begun before a crash: from what became of that very order. */
  async #resume(stored: StoredKey, payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const { orderRef } = stored
    if (orderRef === null) throw new Error('a queued order stores its answer with its key')
    const mode: TradingMode = stored.mode === 'analyze' ? 'analyze' : 'live'
    const request = { payload, order: toOrderRequest(payload), context, mode }
    if (mode === 'analyze') return this.#resumeSimulated(stored, orderRef, request)
    const row = await this.#parts.journal.find(orderRef)
    if (!row) throw new Error(`the journal lost ${orderRef}, which a key was stored with`)
    return (await this.#resumeUnsent(row, request)) ?? resultOfEnd(endOf(row))
  }

  /**
   * The answer of the sandbox's book. An order that a crash kept from the sandbox is placed now, under its first id and
   * through the gate, when its caller asks again soon.
   */
  async #resumeSimulated(stored: StoredKey, orderId: string, request: Request): Promise<OrderResult> {
    const { risk, sandbox } = this.#parts
    const { context, order } = request
    const entry = entryOf(request, orderId, SANDBOX)
    if (await sandbox.statusOf(context.userId, orderId)) return this.#execute(request, entry)
    const objection = retryObjection(this.#parts, stored, PLACE)
    if (objection) return this.#publish(request, objection)
    const refusal = await risk.admit(context.userId, 'analyze', order)
    if (refusal) return this.#publish(request, resultOfEnd(refusedByGate(refusal, '')))
    return this.#execute(request, entry)
  }

  /**
   * Sends an order that a crash kept from being sent, under its first reference and through the gate like the first
   * time, when its caller soon asks again.
   * @returns undefined when it is not such an order
   */
  async #resumeUnsent(row: JournalRow, request: Request): Promise<OrderResult | undefined> {
    const { clock, execution, journal } = this.#parts
    const { orderRef, broker } = row
    const soon = isRecent(row.createdAt, clock.now())
    if (!soon || !wasNotSent(row) || (await journal.reopen([orderRef])).size === 0) return undefined
    const entry = entryOf(request, orderRef, broker)
    const end = await execution.one({ entry, order: request.order, gated: true, caller: request.context })
    return this.#publish(request, resultOfEnd(end))
  }

  /** What an order would do, without doing it: mode, value, margin and every risk rule's verdict. */
  async preview(payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const { ports, queue, risk, sandbox } = this.#parts
    const problem = fieldProblem(payload)
    if (problem) return failure('validation', 400, problem)
    const order = toOrderRequest(payload)
    const mode = ports.mode()
    const lastPrice = await ports.quote(order)
    const checks = await risk.explain(context.userId, mode, order)
    const simulated = mode === 'analyze' ? await sandbox.preview(context.userId, order) : undefined
    const price = order.price || order.triggerPrice || lastPrice
    const unfit = instrumentProblem(order, ports.instrument(order))
    return success({
      dry_run: true,
      mode: queue.shouldQueue(context.userId, PLACE) ? 'semi_auto' : mode,
      order: payload,
      last_price: lastPrice ?? null,
      value: price === undefined ? null : Number(formatMoney(timesQuantity(toMoney(price), order.quantity))),
      margin_required: (simulated ? simulated.margin : await this.#brokersMargin(order)) ?? null,
      checks: [
        ...checks,
        simulated
          ? { rule: 'sandbox', ok: !simulated.refusal, message: simulated.refusal }
          : { rule: 'instrument', ok: !unfit, ...(unfit !== undefined && { message: unfit }) },
      ],
    })
  }

  /** What the broker would block; undefined where it gives no figure, which is no reason to preview nothing. */
  async #brokersMargin(order: OrderRequest): Promise<number | undefined> {
    try {
      return (await this.#parts.broker.client().margins?.estimate([order]))?.total
    } catch {
      return undefined
    }
  }

  /** Publishes how a request ended: what the sandbox refused as placed, with the refusal in its answer. */
  #publish({ context, mode, payload }: Request, plain: OrderResult): OrderResult {
    const { userId } = context
    const { orderRef, ...rest } = plain
    const answer = mode === 'analyze' ? { ...rest, body: { ...plain.body, mode } } : plain
    const isPlaced = answer.code === 'ok' || (mode === 'analyze' && answer.code === 'refused')
    const { body } = answer
    const common = { mode, userId, operation: PLACE, payload, response: body } as const
    this.#parts.ports.publish(
      isPlaced
        ? { topic: 'order.placed', ...common, orderid: typeof body.orderid === 'string' ? body.orderid : '' }
        : { topic: 'order.failed', ...common, message: messageOfAnswer(answer) },
    )
    return answer
  }
}

function entryOf({ context, mode, payload }: Request, orderRef: string, broker: string): JournalEntry {
  const { source, userId } = context
  return { orderRef, userId, operation: PLACE, source, mode, broker, state: 'claimed', payload }
}

function hashOf(payload: PlaceOrderPayload): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('hex')
}
