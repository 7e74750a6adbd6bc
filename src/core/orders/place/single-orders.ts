import { createHash } from 'node:crypto'
import { crashPoint, ServiceError } from '../../errors/index.js'
import { formatMoney, timesQuantity, toMoney } from '../../money/index.js'
import type { RiskGate, TradingMode } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { queueRequest } from '../approval/enqueue.js'
import { type Deadline, expired } from '../deadline.js'
import type { Idempotency, KeyClaim, StoredKey } from '../journal/idempotency.js'
import type { JournalEntry, JournalRow, OrderJournal } from '../journal/journal.js'
import { answerFor, isRecent, wasNotSent } from '../journal/result.js'
import { retryObjection } from '../journal/retry.js'
import { newOrderRef } from '../order-ref.js'
import type { LiveOrders, OrderPorts, PlaceContext, QueuePort, SandboxExecution } from '../ports.js'
import { failure, type OrderResult, success } from '../result.js'
import { type OrderRequest, type PlaceOrderPayload, toOrderRequest } from '../schema.js'
import { refusedBy } from './execute.js'
import { fieldProblem } from './field-rules.js'
import type { LiveSender } from './live-sender.js'

const OPERATION = 'placeorder'

export interface SingleOrdersParts {
  clock: Clock
  journal: OrderJournal
  idempotency: Idempotency
  risk: RiskGate
  sandbox: SandboxExecution
  broker: LiveOrders
  sender: LiveSender
  queue: QueuePort
  ports: OrderPorts
}

/**
 * The one order path. Whoever places an order comes through here: API, approvals, flows, strategies. The steps
 * are those of the specification ("Order placement", processing order); schema validation (step 1) has happened
 * at the edge, and the API key has been resolved to `userId`.
 */
export class SingleOrders {
  readonly #parts: SingleOrdersParts

  constructor(parts: SingleOrdersParts) {
    this.#parts = parts
  }

  /** Places one order: queued, simulated or sent, as the user's and the service's modes say. */
  async place(payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    if (context.idempotencyKey === undefined) return this.#place(payload, context, undefined)
    return this.#parts.idempotency.run(
      { userId: context.userId, key: context.idempotencyKey, requestHash: hashOf(payload) },
      (claim) => this.#place(payload, context, claim),
      (stored) => this.#resume(stored, payload, context),
    )
  }

  async #place(
    payload: PlaceOrderPayload,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    if (this.#parts.queue.shouldQueue(context.userId, OPERATION))
      return this.#enqueue(payload, context, claim)
    const mode = this.#parts.ports.mode()
    const problem = fieldProblem(payload)
    if (problem) return this.#refuse(mode, context, payload, failure('validation', 400, problem))
    const order = toOrderRequest(payload)
    const refusal = await this.#parts.risk.admit(context.userId, mode, order)
    if (refusal) {
      return this.#refuse(mode, context, payload, refusedBy(refusal))
    }
    try {
      return await (mode === 'analyze'
        ? this.#simulate(payload, order, context, claim)
        : this.#send(payload, order, context, claim))
    } catch (error) {
      // Thrown before it left: whoever sends it answers for everything after.
      this.#parts.risk.release(order)
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
    return queueRequest(queue, { userId: context.userId, queuedAs: OPERATION, payload, ltp }, claim)
  }

  async #simulate(
    payload: PlaceOrderPayload,
    order: OrderRequest,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    const orderId = this.#parts.sandbox.newOrderId()
    crashPoint('orders.intake.beforeCommit')
    await claim?.write('analyze', orderId)
    return this.#simulateAdmitted(orderId, payload, order, context)
  }

  /** What the sandbox's book does not know afterwards has not been one of the day's orders. */
  async #simulateAdmitted(
    orderId: string,
    payload: PlaceOrderPayload,
    order: OrderRequest,
    context: PlaceContext,
  ): Promise<OrderResult> {
    const answer = await this.#simulateAs(orderId, payload, order, context)
    if (answer.body.orderid === undefined) this.#parts.risk.release(order)
    return answer
  }

  /** Places under a given sandbox id; an id that exists answers with what became of it. */
  async #simulateAs(
    orderId: string,
    payload: PlaceOrderPayload,
    order: OrderRequest,
    context: PlaceContext,
  ): Promise<OrderResult> {
    const { risk, sandbox } = this.#parts
    const veto = () => risk.stopped() ?? expired(this.#parts.clock, context.deadline)
    const outcome = await sandbox.place(context.userId, order, { orderId, veto })
    crashPoint('orders.intake.afterCommit')
    if (!outcome.ok && outcome.code) {
      const rule = outcome.code === 'kill_switch' ? { rule: outcome.code } : {}
      const answer = failure(outcome.code, outcome.httpStatus, outcome.message, rule)
      return this.#refuse('analyze', context, payload, answer)
    }
    const answer = outcome.ok
      ? success({ orderid: outcome.orderId, mode: 'analyze' })
      : failure('refused', outcome.httpStatus, outcome.message, {
          ...(outcome.orderId && { orderid: outcome.orderId }),
          mode: 'analyze',
        })
    // The specification publishes order.placed for whatever the sandbox answered.
    this.#publishPlaced('analyze', context, payload, outcome.orderId ?? '', answer)
    crashPoint('orders.intake.beforeReply')
    return answer
  }

  async #send(
    payload: PlaceOrderPayload,
    order: OrderRequest,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    const { journal, broker } = this.#parts
    const unready = this.#unready()
    if (unready) {
      this.#parts.risk.release(order)
      return this.#refuse('live', context, payload, unready)
    }
    const entry: JournalEntry<PlaceOrderPayload> = {
      orderRef: newOrderRef(this.#parts.clock),
      userId: context.userId,
      operation: OPERATION,
      source: context.source,
      mode: 'live',
      broker: broker.brokerId,
      state: 'claimed',
      payload,
    }
    crashPoint('orders.intake.beforeCommit')
    await journal.open(entry, claim && ((tx) => claim.writeIn(tx, 'live', entry.orderRef)))
    crashPoint('orders.intake.afterCommit')
    const answer = await this.sendEntry(entry, order, context.deadline)
    crashPoint('orders.intake.beforeReply')
    return answer
  }

  /** What speaks against the broker. A missing session is the caller's own to mend: it is answered and not told. */
  #unready(): OrderResult | undefined {
    try {
      this.#parts.broker.requireReady()
      return undefined
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'forbidden') throw error
      return failure(error.code, error.httpStatus, error.message)
    }
  }

  /** Sends an entry whose state `claimed` is durable, and tells the bus how it ended. */
  async sendEntry(
    entry: JournalEntry<PlaceOrderPayload>,
    order: OrderRequest,
    deadline?: Deadline,
  ): Promise<OrderResult> {
    const answer = await this.#parts.sender.send(entry, order, { gated: true, deadline })
    const context: PlaceContext = { userId: entry.userId, source: entry.source }
    if (answer.code === 'ok') {
      this.#publishPlaced('live', context, entry.payload, String(answer.body.orderid), answer)
      return answer
    }
    return this.#refuse('live', context, entry.payload, answer)
  }

  /** Executes an approved order in the sandbox under the id its claim stored. */
  simulateEntry(entry: JournalEntry<PlaceOrderPayload>, order: OrderRequest): Promise<OrderResult> {
    return this.#simulateAdmitted(entry.orderRef, entry.payload, order, {
      userId: entry.userId,
      source: entry.source,
    })
  }

  /** The answer for a key whose order was begun before a crash: from what became of that very order. */
  async #resume(stored: StoredKey, payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    if (stored.orderRef === null) throw new Error('a queued order stores its answer with its key')
    if (stored.mode === 'analyze') return this.#resumeSimulated(stored, stored.orderRef, payload, context)
    const row = await this.#parts.journal.find(stored.orderRef)
    if (!row) throw new Error(`the journal lost ${stored.orderRef}, which a key was stored with`)
    return (await this.#resumeUnsent(row, payload, context)) ?? answerFor(row)
  }

  /**
   * The answer of the sandbox's book. An order that a crash kept from the sandbox is placed now, under its first id and
   * through the gate, when its caller asks again soon.
   */
  async #resumeSimulated(
    stored: StoredKey,
    orderId: string,
    payload: PlaceOrderPayload,
    context: PlaceContext,
  ): Promise<OrderResult> {
    const { risk, sandbox } = this.#parts
    const order = toOrderRequest(payload)
    if (await sandbox.statusOf(context.userId, orderId)) {
      return this.#simulateAs(orderId, payload, order, context)
    }
    const objection = retryObjection(this.#parts, stored, OPERATION)
    if (objection) return this.#refuse('analyze', context, payload, objection)
    const refusal = await risk.admit(context.userId, 'analyze', order)
    if (refusal) return this.#refuse('analyze', context, payload, refusedBy(refusal))
    try {
      return await this.#simulateAdmitted(orderId, payload, order, context)
    } catch (error) {
      risk.release(order)
      throw error
    }
  }

  /**
   * Sends an order that a crash kept from being sent, under its first reference and through the gate like the first
   * time, when its caller soon asks again.
   * @returns undefined when it is not such an order
   */
  async #resumeUnsent(
    row: JournalRow,
    payload: PlaceOrderPayload,
    context: PlaceContext,
  ): Promise<OrderResult | undefined> {
    const { clock, journal, risk } = this.#parts
    const { orderRef, broker } = row
    const soon = isRecent(row.createdAt, clock.now())
    if (!soon || !wasNotSent(row) || (await journal.reopen([orderRef])).size === 0) return undefined
    const order = toOrderRequest(payload)
    const refusal = await risk.admit(context.userId, 'live', order)
    if (refusal) {
      const answer = refusedBy(refusal, orderRef)
      await journal.move(orderRef, 'rejected', { endCause: 'not_sent', reason: refusal.message, answer })
      return this.#refuse('live', context, payload, answer)
    }
    const { userId, source } = context
    const entry = { orderRef, userId, source, broker, operation: OPERATION, payload } as const
    return this.sendEntry({ ...entry, mode: 'live', state: 'claimed' }, order, context.deadline)
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
    return success({
      dry_run: true,
      mode: queue.shouldQueue(context.userId, OPERATION) ? 'semi_auto' : mode,
      order: payload,
      last_price: lastPrice ?? null,
      value: price === undefined ? null : Number(formatMoney(timesQuantity(toMoney(price), order.quantity))),
      margin_required: (simulated ? simulated.margin : await this.#brokersMargin(order)) ?? null,
      checks: [
        ...checks,
        ...(simulated ? [{ rule: 'sandbox', ok: !simulated.refusal, message: simulated.refusal }] : []),
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

  #publishPlaced(
    mode: TradingMode,
    context: PlaceContext,
    payload: PlaceOrderPayload,
    orderid: string,
    answer: OrderResult,
  ): void {
    const { userId } = context
    this.#parts.ports.publish({
      topic: 'order.placed',
      mode,
      userId,
      operation: OPERATION,
      payload,
      orderid,
      response: answer.body,
    })
  }

  #refuse(
    mode: TradingMode,
    context: PlaceContext,
    payload: PlaceOrderPayload,
    answer: OrderResult,
  ): OrderResult {
    const shown = mode === 'analyze' ? { ...answer, body: { ...answer.body, mode } } : answer
    this.#parts.ports.publish({
      topic: 'order.failed',
      mode,
      userId: context.userId,
      operation: OPERATION,
      payload,
      response: shown.body,
      message: String(shown.body.message),
    })
    return shown
  }
}

function hashOf(payload: PlaceOrderPayload): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('hex')
}
