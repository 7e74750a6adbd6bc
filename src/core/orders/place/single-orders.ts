import { createHash } from 'node:crypto'
import { BrokerError } from '../../brokers/broker.js'
import { crashPoint, ServiceError } from '../../errors/index.js'
import { formatMoney, orderValue, toMoney } from '../../money/index.js'
import type { RiskGate } from '../../risk/index.js'
import { storedWith } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { queueRequest } from '../approval/enqueue.js'
import { isAboutChanges } from '../change/risk-check.js'
import { type OrderEnd, refusedByGate } from '../end.js'
import { type Idempotency, type KeyClaim, keyUse, type StoredKey } from '../journal/idempotency.js'
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
import { publishPlaced } from '../publish.js'
import { publishingFaults } from '../publish-failure.js'
import {
  isPlainlyPlaced,
  markedWith,
  type OrderResult,
  type PreviewedResult,
  refusal,
  resultOfEnd,
  resultOfError,
  type SingleResult,
  type UnplacedResult,
} from '../result.js'
import {
  FOREIGN_PRODUCTS,
  ignoredTexts,
  type OrderPayload,
  type OrderRequest,
  type PlaceOrderPayload,
  quoteNeedsOf,
  toOrderRequest,
} from '../schema.js'
import type { OrderExecution } from './execution.js'
import { fieldProblem } from './field-rules.js'
import { instrumentProblem } from './instrument-check.js'
import { unlistedRefusal } from './unlisted.js'

const PLACE = 'placeorder'

interface SingleOrdersParts {
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

/** A request of one order, with its context and trading mode. */
interface Request {
  payload: PlaceOrderPayload
  order: OrderRequest
  context: PlaceContext
  mode: TradingMode
  /** The account at the broker when the request was decided. */
  accountId: string | undefined
}

/** How an order is previewed. */
interface PreviewOptions {
  brokersMargin?: boolean
  kind?: 'new' | 'stored' | 'change' | 'close'
}

/**
 * Places single orders of the API and of workflows. The caller has validated the payload and resolved the API
 * key to `userId`.
 */
export class SingleOrders {
  readonly #parts: SingleOrdersParts

  constructor(parts: SingleOrdersParts) {
    this.#parts = parts
  }

  /** Queues, simulates or sends one order, as the order mode and the trading mode say. */
  place(payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const { idempotency, ports } = this.#parts
    const { idempotencyKey: key, userId } = context
    return publishingFaults(ports, { operation: PLACE, userId, request: payload }, () => {
      if (key === undefined) return this.#place(payload, context, undefined)
      return idempotency.run(
        keyUse(context, key, hashOf(payload)),
        (claim) => this.#place(payload, context, claim),
        async (stored) => {
          await context.first?.store()
          return this.#resume(stored, payload, context)
        },
      )
    })
  }

  /**
   * Executes an approved order under the reference of its claim, past the queue.
   * @param accountId the account at the broker when it was claimed
   */
  async executeApproved(
    entry: JournalEntry,
    payload: PlaceOrderPayload,
    accountId: string | undefined,
  ): Promise<OrderEnd> {
    const { mode, source, userId } = entry
    const order = toOrderRequest(payload)
    const request = { payload, order, context: { userId, source }, mode, accountId }
    const end = await this.#parts.execution.one({ entry, order, accountId, gated: true })
    this.#publish(request, resultOfEnd(end))
    return end
  }

  async #place(
    payload: PlaceOrderPayload,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    const { broker, ports, queue, risk } = this.#parts
    const { accountId } = broker
    const request = { payload, order: toOrderRequest(payload), context, mode: ports.mode(), accountId }
    const unlisted = ports.unlisted(payload) && (await unlistedRefusal(ports, payload))
    if (unlisted) return this.#publish(request, unlisted)
    if (queue.shouldQueue(context.userId, PLACE, context.source))
      return this.#enqueue(payload, context, claim)
    const problem = fieldProblem(payload)
    if (problem) return this.#publish(request, refusal('validation', problem))
    const refused = await risk.admit(context.userId, request.mode, request.order)
    if (refused) return this.#publish(request, resultOfEnd(refusedByGate(refused, '')))
    try {
      return await this.#execute(request, await this.#claim(request, claim))
    } catch (error) {
      // The order was not sent: from the sending on, the execution returns an end and throws nothing.
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
    await context.first?.store()
    const ltp = await ports.queuePrice(payload)
    return queueRequest(queue, { userId: context.userId, queuedAs: PLACE, payload, ltp }, claim)
  }

  /**
   * Stores the order before it is sent: in Live mode in the journal, in Analyzer mode as its caller's key. What the caller
   * stores first goes into the same transaction.
   */
  async #claim(request: Request, claim: KeyClaim | undefined): Promise<JournalEntry | UnplacedResult> {
    const { broker, clock, journal, sandbox } = this.#parts
    const { first } = request.context
    if (request.mode === 'analyze') {
      const orderId = sandbox.newOrderId()
      crashPoint('orders.intake.beforeCommit')
      if (claim) await storedWith(first, (rows) => claim.write('analyze', orderId, undefined, rows))
      else if (first) await first.store()
      return entryOf(request, orderId, SANDBOX)
    }
    const unready = this.#unready()
    if (unready) return unready
    const entry = entryOf(request, newOrderRef(clock), broker.brokerId)
    crashPoint('orders.intake.beforeCommit')
    const keyed = claim?.rows('live', entry.orderRef) ?? []
    await storedWith(first, (rows) => journal.open(entry, [...keyed, ...rows]))
    crashPoint('orders.intake.afterCommit')
    return entry
  }

  /** Executes an admitted order and publishes its end. @throws the storage fault of a simulated order */
  async #execute(request: Request, claimed: JournalEntry | UnplacedResult): Promise<OrderResult> {
    const { execution, risk } = this.#parts
    const { accountId, context, order } = request
    if ('outcome' in claimed) {
      risk.release(order)
      return this.#publish(request, claimed)
    }
    const decided = { gated: true, admitted: true, accountId, caller: context }
    const end = await execution.one({ entry: claimed, order, ...decided })
    if (request.mode === 'analyze') crashPoint('orders.intake.afterCommit')
    // Nothing was executed, so a retry under the key may execute it.
    if (end.outcome === 'not_sent' && end.fault !== undefined) throw end.fault
    const result = this.#publish(request, resultOfEnd(end))
    crashPoint('orders.intake.beforeReply')
    return result
  }

  /**
   * Returns why the broker takes no order now. A missing session is thrown, so that no failure is published:
   * the caller can sign in.
   */
  #unready(): UnplacedResult | undefined {
    try {
      this.#parts.broker.requireReady()
      return undefined
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'forbidden') throw error
      return resultOfError(error)
    }
  }

  /** Returns the result for a key whose order was started before a crash, from the record of that order. */
  async #resume(stored: StoredKey, payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const { orderRef } = stored
    if (orderRef === null) throw new Error('a queued order stores its answer with its key')
    const mode: TradingMode = stored.mode === 'analyze' ? 'analyze' : 'live'
    const { accountId } = this.#parts.broker
    const request = { payload, order: toOrderRequest(payload), context, mode, accountId }
    if (mode === 'analyze') return this.#resumeSimulated(stored, orderRef, request)
    const row = await this.#parts.journal.find(orderRef)
    if (!row) throw new Error(`the journal lost ${orderRef}, which a key was stored with`)
    return (await this.#resumeUnsent(row, request)) ?? resultOfEnd(endOf(row))
  }

  /**
   * Returns the result from the sandbox's book. If a crash prevented the order from reaching the sandbox and
   * the caller retries soon, the order is placed now, under its first id and through the gate.
   */
  async #resumeSimulated(stored: StoredKey, orderId: string, request: Request): Promise<OrderResult> {
    const { risk, sandbox } = this.#parts
    const { context, order } = request
    const entry = entryOf(request, orderId, SANDBOX)
    if (await sandbox.statusOf(context.userId, orderId)) return this.#execute(request, entry)
    const objection = retryObjection(this.#parts, stored, PLACE, context.source)
    if (objection) return this.#publish(request, objection)
    const refused = await risk.admit(context.userId, 'analyze', order)
    if (refused) return this.#publish(request, resultOfEnd(refusedByGate(refused, '')))
    return this.#execute(request, entry)
  }

  /**
   * Sends an order that a crash left unsent, when its caller retries soon: under its first reference, and
   * through the gate as the first time.
   * @returns undefined for any other order
   */
  async #resumeUnsent(row: JournalRow, request: Request): Promise<OrderResult | undefined> {
    const { clock, execution, journal } = this.#parts
    const { orderRef, broker } = row
    const soon = isRecent(row.createdAt, clock)
    if (!soon || !wasNotSent(row) || (await journal.reopen([orderRef])).size === 0) return undefined
    const entry = entryOf(request, orderRef, broker)
    const { accountId, context: caller, order } = request
    const end = await execution.one({ entry, order, gated: true, accountId, caller })
    return this.#publish(request, resultOfEnd(end))
  }

  /**
   * Returns the value of an order in rupees; undefined without a price. Executes nothing.
   * @throws ServiceError `not_found` for an instrument that is not listed
   */
  async valueOf(payload: OrderPayload): Promise<number | undefined> {
    const { ports } = this.#parts
    const order = toOrderRequest(payload)
    const unlisted = await unlistedRefusal(ports, order)
    if (unlisted) throw new ServiceError('not_found', unlisted.message)
    return valueAt(order, order.price || order.triggerPrice || (await ports.quote(order)), ports)
  }

  /**
   * Returns what an order would do: mode, value, margin and the verdict of every risk rule. Executes nothing.
   * @param options `brokersMargin`: false leaves out the margin that the broker would have to be asked for. `kind`: a change
   * and a close pass fewer rules than a new order, and need no margin of their own; a stored order is sent on a later day,
   * which has a price band of its own
   */
  async preview(
    payload: OrderPayload,
    context: PlaceContext,
    { brokersMargin = true, kind = 'new' }: PreviewOptions = {},
  ): Promise<PreviewedResult | UnplacedResult> {
    const { ports, queue, risk, sandbox } = this.#parts
    const isStored = kind === 'stored'
    const isNew = kind === 'new' || isStored
    // A close in a product that nobody can open was planned from the position itself.
    const isForeign = FOREIGN_PRODUCTS.some((product) => product === payload.product)
    const problem = isNew && !isForeign ? fieldProblem(payload) : undefined
    if (problem) return refusal('validation', problem)
    const order = toOrderRequest(payload)
    const mode = ports.mode()
    const unlisted = await unlistedRefusal(ports, order)
    if (unlisted) return markedWith(mode, unlisted)
    const lastPrice = await ports.quote(order, quoteNeedsOf(order))
    const checks = kind === 'close' ? [] : await risk.explain(context.userId, mode, order)
    const simulated =
      isNew && mode === 'analyze' ? await sandbox.preview(context.userId, order, { isStored }) : undefined
    const instrument = ports.instrument(order)
    const band = isStored ? undefined : ports.priceBand(order)
    const unfit =
      instrumentProblem(order, instrument, { lastPrice, band }) ??
      (mode === 'live' ? await this.#unsettledAtBroker(order) : undefined)
    return {
      outcome: 'previewed',
      preview: {
        mode: queue.shouldQueue(context.userId, PLACE, context.source) ? 'semi_auto' : mode,
        order: payload,
        lastPrice,
        value: valueAt(order, order.price || order.triggerPrice || lastPrice, ports),
        margin: simulated
          ? (simulated.margin ?? undefined)
          : brokersMargin && isNew
            ? await this.#brokersMargin(order)
            : undefined,
        checks: [
          ...checks.filter(({ rule }) => isNew || isAboutChanges(rule)),
          simulated
            ? { rule: 'sandbox', ok: !simulated.refusal, message: simulated.refusal }
            : { rule: 'instrument', ok: !unfit, ...(unfit !== undefined && { message: unfit }) },
        ],
        notes: ignoredTexts(payload.pricetype, { price: payload.price, trigger: payload.trigger_price }),
      },
    }
  }

  /** Returns why the broker's plugin would not send an order in this contract; undefined if it would, or if nobody knows. */
  async #unsettledAtBroker(order: OrderRequest): Promise<string | undefined> {
    try {
      await this.#parts.broker.client().orders.preparePlace?.(order)
      return undefined
    } catch (error) {
      return error instanceof BrokerError && error.kind === 'unsupported' ? error.message : undefined
    }
  }

  /**
   * Returns the margin the broker would block; undefined when the broker gives none. The preview works
   * without it.
   */
  async #brokersMargin(order: OrderRequest): Promise<number | undefined> {
    try {
      return (await this.#parts.broker.client().margins?.estimate([order]))?.total
    } catch {
      return undefined
    }
  }

  /** Publishes how a request ended. @returns the result for the caller */
  #publish({ context, mode, payload }: Request, result: SingleResult): OrderResult {
    const { userId } = context
    const shown = mode === 'analyze' ? simulated(result) : result
    publishPlaced(
      this.#parts.ports,
      { mode, userId, operation: PLACE, request: payload, result: shown },
      payload,
    )
    return shown
  }
}

/** Returns a result as Analyzer mode answers it: without a reference, because that of a simulated order is its id. */
function simulated(result: SingleResult): OrderResult {
  const mode = 'analyze'
  if (isPlainlyPlaced(result)) return { outcome: result.outcome, orderId: result.orderId, mode }
  const { orderRef: _, ...others } = result
  return { ...others, mode }
}

function valueAt(
  order: OrderRequest,
  price: number | undefined,
  { instrument }: Pick<OrderPorts, 'instrument'>,
): number | undefined {
  if (price === undefined) return undefined
  return Number(formatMoney(orderValue(toMoney(price), order.quantity, instrument(order)?.contractValue)))
}

function entryOf({ context, mode, payload }: Request, orderRef: string, broker: string): JournalEntry {
  const { source, userId } = context
  return { orderRef, userId, operation: PLACE, source, mode, broker, state: 'claimed', payload }
}

function hashOf(payload: PlaceOrderPayload): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('hex')
}
