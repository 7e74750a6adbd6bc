import type { BrokerGtts } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { ServiceError } from '../../errors/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { queueRequest } from '../approval/enqueue.js'
import type { ChangeOrders } from '../change/change-orders.js'
import { gttLowersRisk } from '../change/lower-risk.js'
import { endOfError, type OrderEnd, refusedByGate, type UnplacedEnd } from '../end.js'
import {
  type Idempotency,
  type KeyClaim,
  keyUse,
  requestHash,
  type StoredKey,
} from '../journal/idempotency.js'
import type { JournalEntry, OrderJournal } from '../journal/journal.js'
import { endOf, isRecent, wasNotSent } from '../journal/result.js'
import { retryObjection } from '../journal/retry.js'
import { newOrderRef } from '../order-ref.js'
import type { OrderExecution } from '../place/execution.js'
import { unlistedRefusal } from '../place/unlisted.js'
import {
  type Caller,
  type LiveOrders,
  type OrderPorts,
  type PlaceContext,
  type QueuePort,
  SANDBOX,
  type SandboxGtts,
} from '../ports.js'
import { baseOf, type Outcome } from '../publish.js'
import { publishingFaults } from '../publish-failure.js'
import {
  codeOf,
  markedWith,
  messageOfResult,
  type OrderResult,
  refusal,
  resultOfEnd,
  type SingleResult,
} from '../result.js'
import { type GttRequest, type GttTerms, gttExpiryProblem } from '../schema.js'
import { bookRow, termsOf } from './book-row.js'
import { changed, changedIn, EXPIRED } from './results.js'
import {
  type CancelGttPayload,
  type ModifyGttPayload,
  orderBehind,
  type PlaceGttPayload,
  toGttRequest,
} from './schema.js'

interface GttOrdersParts {
  clock: Clock
  idempotency: Idempotency
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  execution: OrderExecution
  sandbox: SandboxGtts
  changes: ChangeOrders
  queue: QueuePort
  ports: OrderPorts
}

const PLACE = 'placegttorder'

/** The instrument of a GTT, if it is known. */
type GttNames = { symbol?: string; exchange?: string }

/**
 * Good-till-triggered orders (docs/api.md, "Other orders"). A new GTT takes the order path: queue, gate,
 * journal, key. When a GTT fires, the broker sends its order; `OpenGtts` finds it, and the GTT's row then
 * follows it.
 */
export class GttOrders {
  readonly #parts: GttOrdersParts

  constructor(parts: GttOrdersParts) {
    this.#parts = parts
  }

  place(payload: PlaceGttPayload, context: PlaceContext): Promise<OrderResult> {
    const { idempotency, ports } = this.#parts
    const { userId, idempotencyKey: key } = context
    return publishingFaults(ports, { operation: PLACE, userId, request: payload }, () => {
      if (key === undefined) return this.#route(payload, context, undefined)
      return idempotency.run(
        keyUse(context, key, requestHash(PLACE, payload)),
        (claim) => this.#route(payload, context, claim),
        (stored) => this.#resume(stored, payload, context),
      )
    })
  }

  modify(payload: ModifyGttPayload, context: PlaceContext): Promise<OrderResult> {
    const { changes, sandbox } = this.#parts
    const { trigger_id: triggerId } = payload
    const gtt = toGttRequest(payload)
    return changes.apply({
      operation: 'modifygttorder',
      payload,
      context,
      repeatable: false,
      execute: async (begin, mode, decided) => {
        const { refused, lowers } = await changes.verdict(decided, mode, orderBehind(gtt), async () => {
          const now = await this.#termsNow(mode, context.userId, triggerId)
          return now !== undefined && gttLowersRisk(now, gtt)
        })
        if (refused) return refused
        const target = { ...decided, ...(lowers && { lowers }) }
        if (mode === 'analyze') {
          await begin()
          const veto = () => changes.stopped(target)
          const modify = () => sandbox.modify(context.userId, triggerId, gtt, { veto })
          return changedIn(await target.exchange.send(modify))
        }
        const { gtts, lastPrice } = await this.#liveWithPrice(gtt)
        await begin()
        return changes.atBroker('Failed to modify GTT', target, async (_, exchange, turn) => {
          await turn()
          const modified = await exchange.send(() => gtts.modify(triggerId, gtt, { lastPrice }))
          return changed(modified.triggerId)
        })
      },
      publish: (outcome) => this.#publish(outcome, 'gtt.modified', 'gtt.modify_failed', gtt, triggerId),
    })
  }

  cancel(payload: CancelGttPayload, context: PlaceContext): Promise<OrderResult> {
    const { broker, changes, journal, sandbox } = this.#parts
    const { trigger_id: triggerId } = payload
    let named: GttNames = {}
    return changes.apply({
      operation: 'cancelgttorder',
      payload,
      context,
      repeatable: true,
      execute: async (begin, mode, target) => {
        const gtts = mode === 'live' ? this.#live() : undefined
        // A request to cancel names only the id. A GTT that was not placed here has no row.
        if (gtts) named = (await journal.findByTriggerId(broker.brokerId, triggerId)) ?? named
        await begin()
        if (!gtts) {
          return changedIn(await target.exchange.send(() => sandbox.cancel(context.userId, triggerId)))
        }
        return changes.atBroker('Failed to cancel GTT', target, async (_, exchange, turn) => {
          await turn()
          const { triggerId: cancelled } = await exchange.send(() => gtts.cancel(triggerId))
          return changed(cancelled)
        })
      },
      publish: (outcome) => this.#publish(outcome, 'gtt.cancelled', 'gtt.cancel_failed', named, triggerId),
    })
  }

  async #termsNow(mode: TradingMode, userId: string, triggerId: string): Promise<GttTerms | undefined> {
    if (mode === 'analyze') return this.#parts.sandbox.termsOf(userId, triggerId)
    return termsOf((await this.#live().list()).find((gtt) => gtt.triggerId === triggerId))
  }

  /**
   * Returns the active triggers, newest first. @throws ServiceError `unsupported` if the broker has no
   * GTTs
   */
  async book(userId: string): Promise<Record<string, unknown>> {
    if (this.#parts.ports.mode() === 'analyze') {
      return { data: await this.#parts.sandbox.list(userId), mode: 'analyze' }
    }
    try {
      return { data: (await this.#live().list()).map(bookRow) }
    } catch (error) {
      throw brokerFailure(error)
    }
  }

  /** Creates the claim of an approved GTT. The caller journals it in Live mode. */
  newApproved(payload: PlaceGttPayload, userId: string, approvalId: number): JournalEntry {
    const entry = this.#entry(payload, { userId, source: 'approval' }, this.#parts.ports.mode())
    return { ...entry, approvalId }
  }

  /** Executes an approved GTT under the reference of its claim. */
  async executeApproved(entry: JournalEntry, payload: PlaceGttPayload): Promise<OrderEnd> {
    const end = await this.#executeClaimed(entry, payload)
    this.#answer(entry, payload, end)
    return end
  }

  async #route(
    payload: PlaceGttPayload,
    context: PlaceContext,
    claim: KeyClaim | undefined,
  ): Promise<OrderResult> {
    const { clock, journal, ports, queue } = this.#parts
    const mode = ports.mode()
    if (gttExpiryProblem(payload.expires_at ?? undefined, clock.now())) {
      return this.#publishPlaced(this.#entry(payload, context, mode), payload, markedWith(mode, EXPIRED))
    }
    const unlisted = await unlistedRefusal(ports, payload)
    if (unlisted) {
      return this.#publishPlaced(this.#entry(payload, context, mode), payload, markedWith(mode, unlisted))
    }
    if (queue.shouldQueue(context.userId, PLACE, context.source)) {
      const ltp = await ports.queuePrice(payload)
      return queueRequest(queue, { userId: context.userId, queuedAs: PLACE, payload, ltp }, claim)
    }
    const entry = this.#entry(payload, context, mode)
    const commit = async () => {
      if (mode === 'analyze') await claim?.write(mode, entry.orderRef)
      else await journal.open(entry, claim?.rows(mode, entry.orderRef))
    }
    return this.#answer(entry, payload, await this.#executeNew(entry, payload, commit, context))
  }

  /** Answers a key whose GTT was started before a crash, from the recorded end of that GTT. */
  async #resume(stored: StoredKey, payload: PlaceGttPayload, context: PlaceContext): Promise<OrderResult> {
    const { orderRef } = stored
    if (orderRef === null) throw new Error('a queued GTT stores its answer with its key')
    if (stored.mode === 'analyze') return this.#resumeSimulated(stored, orderRef, payload, context)
    const { clock, journal } = this.#parts
    const row = await journal.find(orderRef)
    if (!row) throw new Error(`the journal lost ${orderRef}, which a key was stored with`)
    // A crash prevented the sending. If the caller retries soon, the GTT is sent now, through the gate.
    const soon = isRecent(row.createdAt, clock)
    if (!soon || !wasNotSent(row) || (await journal.reopen([orderRef])).size === 0) {
      return resultOfEnd(endOf(row), true)
    }
    const { broker } = row
    const entry = { ...this.#entry(payload, context, 'live'), orderRef, broker }
    return this.#answer(entry, payload, await this.#executeClaimed(entry, payload, context))
  }

  /** Answers such a key in Analyzer mode: the sandbox's book has every GTT that arrived. */
  async #resumeSimulated(
    stored: StoredKey,
    triggerId: string,
    payload: PlaceGttPayload,
    context: PlaceContext,
  ): Promise<OrderResult> {
    const { sandbox } = this.#parts
    const { userId } = context
    if (await sandbox.knows(userId, triggerId)) {
      const outcome = await sandbox.place(userId, toGttRequest(payload), { triggerId })
      if (!outcome.ok) return markedWith('analyze', refusal(outcome.code, outcome.message))
      return { outcome: 'placed', orderId: outcome.triggerId, isGtt: true, mode: 'analyze' }
    }
    const entry = { ...this.#entry(payload, context, 'analyze'), orderRef: triggerId }
    const objection = retryObjection(this.#parts, stored, PLACE, context.source)
    if (objection) return this.#publishPlaced(entry, payload, markedWith('analyze', objection))
    const end = await this.#executeNew(entry, payload, async () => undefined, context)
    return this.#answer(entry, payload, end)
  }

  /** Executes a GTT when the gate and the price allow it; `commit` makes its claim durable. */
  async #executeNew(
    entry: JournalEntry,
    payload: PlaceGttPayload,
    commit: () => Promise<void>,
    caller: Caller,
  ): Promise<OrderEnd> {
    const { broker, execution, risk } = this.#parts
    const { accountId } = broker
    const request = toGttRequest(payload)
    const order = orderBehind(request)
    const refused = await risk.admit(entry.userId, entry.mode, order)
    if (refused) return refusedByGate(refused, '')
    let lastPrice: number
    try {
      lastPrice = await this.#readyPrice(entry, request)
      await commit()
    } catch (error) {
      risk.release(order)
      return refusalOf(error, '')
    }
    const gtt = { request, lastPrice }
    const end = await execution.one({ entry, order, gtt, gated: true, admitted: true, accountId, caller })
    // Nothing was placed, so a retry under the key may place it.
    if (end.outcome === 'not_sent' && end.fault !== undefined) throw end.fault
    return end
  }

  /** Executes a GTT whose claim is durable. */
  async #executeClaimed(entry: JournalEntry, payload: PlaceGttPayload, caller?: Caller): Promise<OrderEnd> {
    const { broker, execution, journal } = this.#parts
    const { accountId } = broker
    const request = toGttRequest(payload)
    const order = orderBehind(request)
    let lastPrice: number
    try {
      lastPrice = await this.#readyPrice(entry, request)
    } catch (error) {
      const end = refusalOf(error, entry.orderRef)
      if (entry.mode === 'live') {
        const { message: reason } = end
        await journal.move(entry.orderRef, 'rejected', { endCause: 'not_sent', reason, end })
      }
      return end
    }
    return execution.one({
      entry,
      order,
      gtt: { request, lastPrice },
      gated: true,
      accountId,
      ...(caller && { caller }),
    })
  }

  /** Returns the reference price of a live trigger; the sandbox uses its own price. */
  async #readyPrice({ mode }: JournalEntry, gtt: GttRequest): Promise<number> {
    if (mode === 'analyze') return 0
    this.#parts.broker.requireReady()
    return (await this.#liveWithPrice(gtt)).lastPrice
  }

  #answer(entry: JournalEntry, payload: PlaceGttPayload, end: OrderEnd): OrderResult {
    const { orderRef, ...result } = resultOfEnd(end, true)
    // The reference of a simulated GTT is its id.
    const shown = entry.mode === 'analyze' ? markedWith(entry.mode, result) : { ...result, orderRef }
    return this.#publishPlaced(entry, payload, shown)
  }

  #publishPlaced(
    { mode, userId }: JournalEntry,
    payload: PlaceGttPayload,
    result: SingleResult,
  ): OrderResult {
    const outcome: Outcome = { mode, userId, operation: PLACE, request: { ...payload }, result }
    this.#publish(outcome, 'gtt.placed', 'gtt.failed', toGttRequest(payload))
    return result
  }

  #entry(
    payload: PlaceGttPayload,
    { userId, source }: Pick<PlaceContext, 'userId' | 'source'>,
    mode: TradingMode,
  ): JournalEntry {
    const { broker, clock, sandbox } = this.#parts
    const simulated = mode === 'analyze'
    return {
      orderRef: simulated ? sandbox.newTriggerId() : newOrderRef(clock),
      userId,
      operation: PLACE,
      source,
      mode,
      broker: simulated ? SANDBOX : broker.brokerId,
      state: 'claimed',
      payload,
    }
  }

  /**
   * Returns the broker's GTTs. @throws ServiceError `unsupported`, or the error of a missing session
   */
  #live(): BrokerGtts {
    const { broker } = this.#parts
    const { gtts } = broker.client()
    if (gtts) return gtts
    throw new ServiceError('unsupported', `GTT orders are not supported for broker '${broker.brokerId}' yet`)
  }

  /**
   * Returns the broker's GTTs and the current price, which a trigger needs. @throws ServiceError
   * `not_found` for an unknown symbol, `broker_protocol` without a price
   */
  async #liveWithPrice(gtt: GttRequest): Promise<{ gtts: BrokerGtts; lastPrice: number }> {
    const gtts = this.#live()
    const { ports } = this.#parts
    const lastPrice = await ports.quote(gtt)
    if (lastPrice !== undefined && lastPrice > 0) return { gtts, lastPrice }
    const unlisted = await ports.unlisted(gtt)
    if (unlisted !== undefined) throw new ServiceError('not_found', unlisted)
    throw new ServiceError('broker_protocol', `Failed to fetch LTP for ${gtt.symbol}`)
  }

  #publish(
    outcome: Outcome,
    done: 'gtt.placed' | 'gtt.modified' | 'gtt.cancelled',
    failed: 'gtt.failed' | 'gtt.modify_failed' | 'gtt.cancel_failed',
    gtt: GttNames & Partial<Pick<GttRequest, 'type' | 'legs'>>,
    triggerId?: string,
  ): void {
    const { ports } = this.#parts
    const { request, result } = outcome
    const named = { symbol: gtt.symbol ?? '', exchange: gtt.exchange ?? '' }
    if (codeOf(result) !== 'ok') {
      const identity = { ...named, trigger_id: triggerId ?? '' }
      const facts = { ...baseOf(outcome), ...identity, error_message: messageOfResult(result) }
      ports.publish({ topic: failed, result, facts })
      return
    }
    ports.publish({
      topic: done,
      result,
      facts: {
        ...baseOf(outcome),
        ...named,
        strategy: typeof request.strategy === 'string' ? request.strategy : '',
        trigger_type: gtt.type ?? '',
        trigger_id: ('orderId' in result ? result.orderId : triggerId) ?? '',
        trigger_prices: gtt.legs?.map((leg) => leg.triggerPrice) ?? [],
      },
    })
  }
}

/** Returns an expected refusal as the end of an order; any other error is a fault. */
function refusalOf(error: unknown, orderRef: string): UnplacedEnd {
  if (error instanceof ServiceError) return endOfError('not_sent', orderRef, error)
  throw error
}
