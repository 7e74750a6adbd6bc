import { BrokerError, type BrokerGtt, type BrokerGtts } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { ServiceError } from '../../errors/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { ChangeOrders } from '../change/change-orders.js'
import { gttLowersRisk } from '../change/lower-risk.js'
import type { OrderJournal } from '../journal/journal.js'
import type { Claims } from '../pipeline/claims.js'
import type { Pipeline } from '../pipeline/pipeline.js'
import type { OrderExecution } from '../place/execution.js'
import { gttLackRefusal } from '../place/lack.js'
import { OneOrder, type OneOrderKind } from '../place/one-order.js'
import type { LiveOrders, OrderPorts, PlaceContext, QueuePort, SandboxGtts } from '../ports.js'
import { baseOf, type Outcome } from '../publish/publish.js'
import { codeOf, markedWith, messageOfResult, type OrderResult, refusal } from '../result.js'
import { type GttRequest, type GttTerms, gttExpiryProblem } from '../schema.js'
import { bookRow, termsOf } from './book-row.js'
import { fixedGttTermsRefusal } from './fixed-terms.js'
import { changed, changedIn, EXPIRED } from './results.js'
import {
  type CancelGttPayload,
  type ModifyGttPayload,
  orderBehind,
  type PlaceGttPayload,
  queuedGttPayload,
  toGttRequest,
} from './schema.js'

interface GttOrdersParts {
  claims: Claims
  clock: Clock
  pipeline: Pipeline
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
  /** How one is placed. */
  readonly order: OneOrder<PlaceGttPayload>
  readonly #parts: GttOrdersParts

  constructor(parts: GttOrdersParts) {
    this.#parts = parts
    this.order = new OneOrder(this.#kind(), parts)
  }

  /** Returns the kind of request that becomes one GTT. */
  #kind(): OneOrderKind<PlaceGttPayload> {
    const { broker, clock, sandbox } = this.#parts
    return {
      operation: PLACE,
      isGtt: true,
      queued: queuedGttPayload,
      expired: ({ expires_at }) =>
        gttExpiryProblem(expires_at ?? undefined, clock.now()) ? EXPIRED : undefined,
      lacking: (payload, mode) => gttLackRefusal(mode, broker, toGttRequest(payload)),
      order: (payload) => orderBehind(toGttRequest(payload)),
      gtt: async (payload, mode) => {
        const request = toGttRequest(payload)
        // The sandbox uses its own price.
        if (mode === 'analyze') return { request, lastPrice: 0 }
        broker.requireReady()
        // The broker of its approval may take less than that of its request.
        const lack = gttLackRefusal(mode, broker, request)
        if (lack) throw new ServiceError('unsupported', lack.message)
        return { request, lastPrice: (await this.#liveWithPrice(request)).lastPrice }
      },
      newSimulatedId: () => sandbox.newTriggerId(),
      isSimulated: (userId, triggerId) => sandbox.knows(userId, triggerId),
      simulated: async (userId, triggerId, payload) => {
        const outcome = await sandbox.place(userId, toGttRequest(payload), { triggerId })
        if (!outcome.ok) return markedWith('analyze', refusal(outcome.code, outcome.message))
        return { outcome: 'placed', orderId: outcome.triggerId, isGtt: true, mode: 'analyze' }
      },
      publish: (outcome, payload) =>
        this.#publish(
          { ...outcome, request: { ...payload } },
          'gtt.placed',
          'gtt.failed',
          toGttRequest(payload),
        ),
    }
  }

  place(payload: PlaceGttPayload, context: PlaceContext): Promise<OrderResult> {
    return this.#parts.pipeline.submit(this.order, payload, context)
  }

  modify(payload: ModifyGttPayload, context: PlaceContext): Promise<OrderResult> {
    const { broker, changes, sandbox } = this.#parts
    const { trigger_id: triggerId } = payload
    const gtt = toGttRequest(payload)
    return changes.apply({
      operation: 'modifygttorder',
      payload,
      context,
      repeatable: false,
      execute: async (begin, mode, decided) => {
        const lack = gttLackRefusal(mode, broker, gtt)
        if (lack) return lack
        const { refused, lowers } = await changes.verdict(decided, mode, orderBehind(gtt), async () => {
          const now = await this.#termsNow(mode, context.userId, triggerId)
          return now !== undefined && gttLowersRisk(now, gtt)
        })
        if (refused) return refused
        const target = { ...decided, ...(lowers && { lowers }) }
        if (mode === 'analyze') {
          await begin()
          const veto = changes.sender.simulatedVeto(target)
          const modify = () => sandbox.modify(context.userId, triggerId, gtt, { veto })
          return changedIn(await target.exchange.send(modify))
        }
        const { gtts, lastPrice } = await this.#liveWithPrice(gtt)
        await begin()
        return changes.sender.atBroker('Failed to modify GTT', target, async ({ orders }, exchange, turn) => {
          await exchange.read(async () => orders.preparePlace?.(orderBehind(gtt)))
          const fixed = fixedGttTermsRefusal(await exchange.read(() => gttAt(gtts, triggerId)), gtt)
          if (fixed) return fixed
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
        return changes.sender.atBroker('Failed to cancel GTT', target, async (_, exchange, turn) => {
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
    return termsOf(await gttAt(this.#live(), triggerId))
  }

  /** Returns the triggers that have not ended, newest first. @throws ServiceError `unsupported` only if the broker has no GTTs */
  async book(userId: string) {
    if (this.#parts.ports.mode() === 'analyze') {
      return { data: await this.#parts.sandbox.list(userId), mode: 'analyze' as const }
    }
    try {
      const open = (await this.#live().list()).filter(isOpen)
      return { data: open.map(bookRow) }
    } catch (error) {
      // A list that the broker refuses says nothing: there may be some.
      if (error instanceof BrokerError && error.kind === 'unsupported') {
        throw new ServiceError('broker_protocol', error.message, { brokerStatus: error.brokerStatus })
      }
      throw brokerFailure(error)
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

/** Returns whether a GTT may still fire, if only after somebody enables it again. */
function isOpen({ status }: BrokerGtt): boolean {
  return status === 'active' || status === 'disabled'
}

/** Returns a GTT as the broker has it; undefined if it does not list it and cannot be asked for one. */
async function gttAt(gtts: BrokerGtts, triggerId: string): Promise<BrokerGtt | undefined> {
  if (gtts.gtt) return gtts.gtt(triggerId)
  return (await gtts.list()).find((gtt) => gtt.triggerId === triggerId)
}
