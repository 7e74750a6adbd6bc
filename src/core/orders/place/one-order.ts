import type { z } from 'zod'
import type { QueuedOrder } from '../../approvals/schema.js'
import { crashPoint, ServiceError } from '../../errors/index.js'
import type { RiskGate, RiskRefusal } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { endOfError, type OrderEnd, refusedByGate } from '../end.js'
import type { JournalEntry } from '../journal/entry.js'
import type { KeyClaim } from '../journal/idempotency.js'
import type { OrderJournal } from '../journal/journal.js'
import { endOf, wasNotSent } from '../journal/result.js'
import { type Claimed, type Claims, claimAdmitted, type OrderIdentity } from '../pipeline/claims.js'
import type { OrderKind, StartedKey } from '../pipeline/pipeline.js'
import { isRecent, retryObjection } from '../pipeline/retry.js'
import {
  type Caller,
  type LiveOrders,
  type OrderPorts,
  type PlaceContext,
  type QueuePort,
  SANDBOX,
} from '../ports.js'
import type { Outcome } from '../publish/publish.js'
import {
  isPlainlyPlaced,
  type OrderResult,
  refusal,
  resultOfEnd,
  resultOfError,
  type SingleResult,
  type UnplacedResult,
} from '../result.js'
import type { OrderRequest } from '../schema.js'
import type { ClaimedOrder } from './claimed-order.js'
import type { OrderExecution } from './execution.js'
import { noteRefusedRequest } from './refused.js'
import { unlistedRefusal } from './unlisted.js'

type Gtt = ClaimedOrder['gtt']

/** A kind of request that becomes one order: what an order and a GTT do not have in common. */
export interface OneOrderKind<P extends JournalEntry['payload']> {
  operation: 'placeorder' | 'placegttorder'
  /** The ids that it gets are those of triggers. */
  isGtt: boolean
  /** Reads it from the approval queue. */
  queued: z.ZodType<P>
  /** Returns why its time has passed. */
  expired?(payload: P): UnplacedResult | undefined
  /** Returns the refusal of what the active broker cannot follow. */
  lacking(payload: P, mode: TradingMode): UnplacedResult | undefined
  /** Returns why its fields are refused; asked only when it is to be executed. */
  problem?(payload: P): string | undefined
  /** Returns the order that the gate checks and counts. */
  order(payload: P): OrderRequest
  /**
   * Returns the GTT that is sent instead of an order, once the broker can take it.
   * @throws ServiceError, which refuses it
   */
  gtt?(payload: P, mode: TradingMode): Promise<Gtt>
  newSimulatedId(): string
  /** Returns whether the sandbox ever accepted it. */
  isSimulated(userId: string, id: string): Promise<boolean>
  /** Returns the result of one that the sandbox accepted. Without it, it is executed again: the sandbox returns the first end. */
  simulated?(userId: string, id: string, payload: P): Promise<OrderResult>
  /** Publishes how a request ended. */
  publish(outcome: Omit<Outcome, 'request'>, payload: P): void
}

/** The services that an order passes. */
interface Services {
  claims: Claims
  clock: Clock
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  execution: OrderExecution
  queue: QueuePort
  ports: OrderPorts
}

/** A request of one order, with its caller and trading mode. */
interface Request<P> {
  payload: P
  order: OrderRequest
  context: PlaceContext
  mode: TradingMode
  /** The broker when the request was decided. */
  brokerId: string
  /** The account at the broker then. */
  accountId: string | undefined
}

/**
 * Executes requests of one order. Such a request needs no row beside that of its order: in Live mode the journal's, in
 * Analyzer mode the sandbox's. The caller has validated the payload and resolved the API key to `userId`.
 */
export class OneOrder<P extends JournalEntry['payload']> implements OrderKind<P> {
  readonly operation: OneOrderKind<P>['operation']

  constructor(
    readonly kind: OneOrderKind<P>,
    private readonly services: Services,
  ) {
    this.operation = kind.operation
  }

  refused(payload: P, context: PlaceContext): Promise<OrderResult | undefined> | undefined {
    const { ports } = this.services
    const known = this.kind.expired?.(payload) ?? this.kind.lacking(payload, ports.mode())
    if (!known && !ports.unlisted(payload)) return undefined
    return this.#refusedBeforeQueue(payload, context, known)
  }

  async #refusedBeforeQueue(payload: P, context: PlaceContext, known: UnplacedResult | undefined) {
    const request = this.#request(payload, context, this.services.ports.mode())
    const refused = known ?? (await unlistedRefusal(this.services.ports, payload))
    return refused && this.#publish(request, refused)
  }

  /** Simulates or sends the order, as the trading mode says. */
  async execute(payload: P, context: PlaceContext, claim: KeyClaim | undefined): Promise<OrderResult> {
    const request = this.#request(payload, context, this.services.ports.mode())
    const problem = this.kind.problem?.(payload)
    if (problem) return this.#publish(request, refusal('validation', problem))
    return this.#executeNew(request, () => this.#claim(request, claim))
  }

  /**
   * Returns the result for a key whose order was started before a crash, from the record of that order.
   * @throws ServiceError while the broker cannot take an order that is still to be sent: a later retry sends it
   */
  async resume(payload: P, context: PlaceContext, stored: StartedKey): Promise<OrderResult> {
    const { orderRef } = stored
    if (stored.mode === 'analyze') return this.#resumeSimulated(payload, context, stored)
    const { broker, clock, journal, ports } = this.services
    const request = this.#request(payload, context, 'live')
    const row = await journal.find(orderRef)
    if (!row) throw new Error(`the journal lost ${orderRef}, which a key was stored with`)
    // A crash left it unsent, and its caller retries soon: it is sent under its first reference, and through the gate.
    if (!wasNotSent(row) || !isRecent(row.createdAt, clock)) return this.#resultOf(endOf(row))
    if (ports.mode() === 'live') broker.requireReady()
    if ((await journal.reopen([orderRef])).size === 0) return this.#resultOf(endOf(row))
    const entry = entryOf(this.operation, request, row)
    const end = await this.#executeClaimed(entry, request, context)
    return this.#publish(request, this.#resultOf(end))
  }

  /**
   * Returns the result from the sandbox's book. If a crash prevented the order from reaching the sandbox and
   * the caller retries soon, the order is placed now, under its first id and through the gate.
   */
  async #resumeSimulated(payload: P, context: PlaceContext, stored: StartedKey): Promise<OrderResult> {
    const { kind, operation, services } = this
    const { orderRef } = stored
    const { userId } = context
    const request = this.#request(payload, context, 'analyze')
    const entry = entryOf(operation, request, { orderRef, broker: SANDBOX })
    if (await kind.isSimulated(userId, orderRef)) {
      if (kind.simulated) return kind.simulated(userId, orderRef, payload)
      return this.#execute(request, entry, undefined)
    }
    const objection = retryObjection(services, stored, operation, context.source)
    if (objection) return this.#publish(request, objection)
    return this.#executeNew(request, async () => entry)
  }

  /** Creates the claim of an approved request. The caller journals it in Live mode. */
  newApproved(order: QueuedOrder, payload: P): JournalEntry {
    const { broker, claims, ports } = this.services
    const { ofRun } = order
    if (ofRun) {
      return this.approvedEntry(order, payload, 'live', {
        orderRef: ofRun.orderRef,
        broker: broker.brokerId,
      })
    }
    const mode = ports.mode()
    return this.approvedEntry(
      order,
      payload,
      mode,
      claims.identity(mode, () => this.kind.newSimulatedId(), broker.brokerId),
    )
  }

  /** Returns the entry of an approved request. */
  approvedEntry(
    { id, userId }: QueuedOrder,
    payload: P,
    mode: TradingMode,
    identity: OrderIdentity,
  ): JournalEntry {
    const context = { userId, source: 'approval' } as const
    return { ...entryOf(this.operation, { payload, context, mode }, identity), approvalId: id }
  }

  /**
   * Executes an approved request under the reference of its claim, past the queue.
   * @param accountId the account at the broker when it was claimed
   */
  async executeApproved(entry: JournalEntry, payload: P, accountId: string | undefined): Promise<OrderEnd> {
    const { mode, source, userId } = entry
    const request = { ...this.#request(payload, { userId, source }, mode), accountId }
    const end = await this.#executeClaimed(entry, request)
    this.#publish(request, this.#resultOf(end))
    return end
  }

  #request(payload: P, context: PlaceContext, mode: TradingMode): Request<P> {
    const { broker } = this.services
    return {
      payload,
      order: this.kind.order(payload),
      context,
      mode,
      brokerId: broker.brokerId,
      accountId: broker.accountId,
    }
  }

  /** Executes a request if the gate and the broker allow it. `claim` makes its intent durable. */
  async #executeNew(request: Request<P>, claim: () => Promise<JournalEntry>): Promise<OrderResult> {
    const { context, mode, order } = request
    const asked = { userId: context.userId, mode, order }
    const end = await claimAdmitted(this.services.risk, asked, () => this.#claimReady(request, claim))
    if ('byGate' in end) return this.#publish(request, this.#resultByGate(end.byGate, mode))
    if ('refused' in end) return this.#publish(request, end.refused)
    return this.#execute(request, end.claimed.entry, end.claimed.gtt)
  }

  /** Rules about value, price and loss read the broker, so a missing session is reported before them. */
  #resultByGate(byGate: RiskRefusal, mode: TradingMode): SingleResult {
    const unready = byGate.rule === 'kill_switch' ? undefined : this.#unready(mode)
    return unready ?? this.#resultOf(refusedByGate(byGate, ''))
  }

  /** Claims an order that the broker can take now. */
  async #claimReady(
    { mode, payload }: Request<P>,
    claim: () => Promise<JournalEntry>,
  ): Promise<Claimed<Pick<ClaimedOrder, 'entry' | 'gtt'>, SingleResult>> {
    const { kind } = this
    const unready = kind.gtt ? undefined : this.#unready(mode)
    if (unready) return { refused: unready }
    try {
      const gtt = await kind.gtt?.(payload, mode)
      return { claimed: { gtt, entry: await claim() } }
    } catch (error) {
      if (!kind.gtt || !(error instanceof ServiceError)) throw error
      return { refused: this.#resultOf(endOfError('not_sent', '', error)) }
    }
  }

  /**
   * Returns why the broker takes no order now. A missing session is thrown, so that no failure is published:
   * the caller can sign in.
   */
  #unready(mode: TradingMode): UnplacedResult | undefined {
    if (mode === 'analyze') return undefined
    try {
      this.services.broker.requireReady()
      return undefined
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'forbidden') throw error
      return resultOfError(error)
    }
  }

  /**
   * Stores the order before it is sent: in Live mode in the journal, in Analyzer mode as its caller's key. The rows that the
   * caller stores first go into the same transaction.
   */
  async #claim(request: Request<P>, claim: KeyClaim | undefined): Promise<JournalEntry> {
    const { claims } = this.services
    const { brokerId, context, mode } = request
    const entry = entryOf(
      this.operation,
      request,
      claims.identity(mode, () => this.kind.newSimulatedId(), brokerId),
    )
    const { first } = context
    crashPoint('orders.intake.beforeCommit')
    await claims.store({ mode, ref: entry.orderRef, entries: [entry], claim, first })
    if (mode === 'live') crashPoint('orders.intake.afterCommit')
    return entry
  }

  /** Executes an admitted order and publishes its end. @throws the storage fault of a simulated order */
  async #execute(request: Request<P>, entry: JournalEntry, gtt: Gtt): Promise<OrderResult> {
    const { accountId, context: caller, mode, order } = request
    const claimed = { entry, order, gtt, gated: true, admitted: true, accountId, caller }
    const end = await this.services.execution.one(claimed)
    if (mode === 'analyze') crashPoint('orders.intake.afterCommit')
    // Nothing was executed, so a retry under the key may execute it.
    if (end.outcome === 'not_sent' && end.fault !== undefined) throw end.fault
    const result = this.#publish(request, this.#resultOf(end))
    crashPoint('orders.intake.beforeReply')
    return result
  }

  /** Executes an order whose claim is durable, through the gate. An approval has no caller. */
  async #executeClaimed(
    entry: JournalEntry,
    { accountId, order, payload }: Request<P>,
    caller?: Caller,
  ): Promise<OrderEnd> {
    const { execution, journal } = this.services
    try {
      const expired = this.kind.expired?.(payload)
      // Not every broker knows the expiry of a GTT.
      if (expired) throw new ServiceError(expired.code, expired.message)
      const gtt = await this.kind.gtt?.(payload, entry.mode)
      return await execution.one({ entry, order, gtt, gated: true, accountId, caller })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const end = endOfError('not_sent', entry.orderRef, error)
      const { message: reason } = end
      if (entry.mode === 'live') {
        await journal.move(entry.orderRef, 'rejected', { endCause: 'not_sent', reason, end })
      }
      return end
    }
  }

  #resultOf(end: OrderEnd): SingleResult {
    return resultOfEnd(end, this.kind.isGtt)
  }

  /** Publishes how a request ended. @returns the result for the caller */
  #publish({ context, mode, payload }: Request<P>, result: SingleResult): OrderResult {
    const { source, userId } = context
    if (result.outcome !== 'placed' && result.orderRef === undefined) {
      const asked = { operation: this.operation, source, userId, mode, request: payload }
      noteRefusedRequest(this.services.ports, context, asked, result)
    }
    const shown = mode === 'analyze' ? simulated(result) : result
    this.kind.publish({ mode, userId, operation: this.operation, result: shown }, payload)
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

function entryOf<P extends JournalEntry['payload']>(
  operation: string,
  {
    context,
    mode,
    payload,
  }: Pick<Request<P>, 'payload' | 'mode'> & {
    context: Pick<PlaceContext, 'userId' | 'source'>
  },
  { broker, orderRef }: OrderIdentity,
): JournalEntry {
  const { source, userId } = context
  return { orderRef, userId, operation, source, mode, broker, state: 'claimed', payload }
}
