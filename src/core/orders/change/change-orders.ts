import type { BrokerOrders, PreparedChange } from '../../brokers/broker.js'
import { brokerFailure } from '../../brokers/index.js'
import { messageOf } from '../../errors/index.js'
import { type RiskGate, refusalCode } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { blockedInSemiAuto } from '../approval/semi-auto.js'
import { BrokerTimer } from '../broker-time.js'
import { UNKNOWN_CHANGE } from '../end.js'
import type { StoredKey } from '../journal/idempotency.js'
import type { OrderJournal } from '../journal/journal.js'
import type { QuantityStore } from '../journal/quantity-store.js'
import type { TypeStore } from '../journal/type-store.js'
import { CLOSE_POSITIONS, type ClosePayload, publishClose } from '../multi/close.js'
import type { Planned } from '../multi/kind.js'
import type { MultiOrders } from '../multi/multi-orders.js'
import { resultOfClose, SIMULATED_CLOSE } from '../multi/plans/plan.js'
import { type BlockedOperation, ORDER_OPERATIONS } from '../operations/order-operations.js'
import { requireOnlyMode } from '../pipeline/last-check.js'
import type { Pipeline } from '../pipeline/pipeline.js'
import { unlistedRefusal } from '../place/unlisted.js'
import type { LiveExecution, OrderPorts, PlaceContext, QueuePort, SandboxExecution } from '../ports.js'
import { baseOf, type Outcome, publishFailed } from '../publish/publish.js'
import {
  type AllCancelledResult,
  codeOf,
  markedWith,
  messageOfResult,
  type OrderResult,
  refusal,
  type UnplacedResult,
} from '../result.js'
import { type OrderRequest, type OrderTerms, toOrderRequest } from '../schema.js'
import { type Cancellations, cancelAllAt } from './cancel-all.js'
import { ChangeSender, type Target } from './change-sender.js'
import { lowersRisk } from './lower-risk.js'
import { NamedOrders } from './named-orders.js'
import { withRecordedType } from './recorded-type.js'
import { changeRefusal, type Verdict, verdictOf } from './risk-check.js'
import type { CancelOrderPayload, ModifyOrderPayload, WholeAccountPayload } from './schema.js'
import type { Begin, Resumed, SimulatedCloses } from './simulated-closes.js'
import { changeTiming } from './timing.js'

interface ChangeOrdersParts {
  clock: Clock
  pipeline: Pipeline
  journal: OrderJournal
  risk: RiskGate
  broker: LiveExecution
  sandbox: SandboxExecution
  multi: MultiOrders
  /** Tells which users' orders wait for approval: these users may not change live orders. */
  queue: Pick<QueuePort, 'shouldQueue'>
  ports: OrderPorts
  simulatedCloses: SimulatedCloses
  types: TypeStore
  quantities: QuantityStore
}

/** One operation on existing orders or positions. */
interface Change {
  operation: BlockedOperation
  payload: object
  context: PlaceContext
  /** True when a repeated execution does no harm. After a crash in the middle, such a change is executed again. */
  repeatable: boolean
  /** Executes it. It calls `begin` after the last possible refusal and before the first change. */
  execute(begin: Begin, mode: TradingMode, target: Target): Promise<OrderResult>
  /** Returns the result after a crash in the middle, and whether it executed something just now. */
  resume?(stored: StoredKey, target: Target): Promise<Resumed>
  publish(outcome: Outcome): void
}

/**
 * Changes and ends existing orders and positions: modify, cancel, cancel all, close. Cancels and closes pass
 * when trading is stopped; the risk gate checks a modified order like a new one, unless a signed-in person lowers risk.
 */
export class ChangeOrders {
  readonly sender: ChangeSender
  readonly #parts: ChangeOrdersParts
  readonly #named: NamedOrders

  constructor(parts: ChangeOrdersParts) {
    this.#parts = parts
    this.#named = new NamedOrders(parts)
    this.sender = new ChangeSender(parts)
  }

  modify(payload: ModifyOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const { ports } = this.#parts
    const { symbol, exchange, orderid } = payload
    return this.apply({
      operation: 'modifyorder',
      payload,
      context,
      repeatable: false,
      execute: async (begin, mode, target) => {
        const order = await this.#named.asMade(mode, context, orderid, toOrderRequest(payload))
        const { refused, lowers } = await this.verdict(target, mode, order, async () =>
          this.#lowersRisk(await this.#named.termsNow(mode, context, orderid), order, mode),
        )
        if (refused) return refused
        await begin()
        return this.#modified({ ...target, ...(lowers && { lowers }) }, mode, payload)
      },
      publish: (outcome) => {
        const base = baseOf(outcome)
        const { result } = outcome
        if (codeOf(result) === 'ok') {
          ports.publish({ topic: 'order.modified', result, facts: { ...base, symbol, exchange, orderid } })
        } else {
          const facts = { ...base, symbol, orderid, error_message: messageOfResult(result) }
          ports.publish({ topic: 'order.modify_failed', result, facts })
        }
      },
    })
  }

  #modified(target: Target, mode: TradingMode, payload: ModifyOrderPayload): Promise<OrderResult> {
    const { orderid, price, pricetype: priceType, quantity, trigger_price: triggerPrice } = payload
    if (mode === 'analyze') {
      const { userId } = target.context
      const options = { veto: this.sender.simulatedVeto(target) }
      // The sandbox refuses a price that the order does not have, so it gets those of the request.
      return this.#simulated(target, (sandbox) =>
        sandbox.modify(userId, orderid, { priceType, quantity, price, triggerPrice }, options),
      )
    }
    const order = toOrderRequest(payload)
    return this.sender.atBroker('Failed to modify order', target, async ({ orders }, exchange, turn) => {
      const { context, lowers } = target
      const row = await this.#named.row(target.broker, orderid)
      const id = await this.#prepared(orders, target, orderid, 'modify')
      // A change that lowers risk has been compared with its order.
      const other =
        !lowers && (await exchange.read(() => this.#named.otherOrderRefusal(row, context, orderid, order)))
      if (other) return other
      await exchange.read(async () => orders.preparePlace?.(order))
      const { ports, types } = this.#parts
      const services = { exchange, log: ports.log, types }
      const change = { orderRef: row?.orderRef, asked: order.priceType }
      const { orderId } = await withRecordedType(services, change, async () => {
        await turn()
        return exchange.send(() => orders.modify(id, order))
      })
      if (row) await this.#recordQuantity(row.orderRef, order.quantity)
      return { outcome: 'changed', orderId }
    })
  }

  /** Stores the quantity that an order has now. The change is made, whether that can be stored or not. */
  async #recordQuantity(orderRef: string, quantity: number): Promise<void> {
    const { ports, quantities } = this.#parts
    await quantities.changed(orderRef, quantity).catch((error: unknown) => {
      ports.log.error('changed_quantity_not_recorded', { order_ref: orderRef, error: messageOf(error) })
    })
  }

  /**
   * Decides on a modification: by the order mode and the risk gate, or because a signed-in person lowers risk.
   * @param lowers reads the order as it is, and compares it with the change; asked only when it decides
   * @throws ServiceError of the broker if it cannot be read
   */
  async verdict(
    { context, operation }: Target,
    mode: TradingMode,
    order: OrderRequest,
    lowers: () => Promise<boolean>,
  ): Promise<Verdict> {
    const { ports, queue, risk } = this.#parts
    const unlisted = await unlistedRefusal(ports, order)
    if (unlisted) return { refused: unlisted }
    const blocked = blockedInSemiAuto(operation, mode, context, queue)
    const refused = blocked ? undefined : await changeRefusal(risk, context.userId, mode, order)
    const byGate = refused && { ...refusal(refusalCode(refused), refused.message), rule: refused.rule }
    const compared = () => lowers().catch((error: unknown) => Promise.reject(brokerFailure(error)))
    return verdictOf(blocked ?? byGate, context, compared)
  }

  #lowersRisk(now: OrderTerms | undefined, order: OrderRequest, mode: TradingMode): boolean {
    if (!now) return false
    // The simulated account keeps a price that is not given.
    const { price, triggerPrice } = mode === 'analyze' ? now : order
    return lowersRisk(now, {
      ...order,
      price: order.price || price,
      triggerPrice: order.triggerPrice || triggerPrice,
    })
  }

  cancel(payload: CancelOrderPayload, context: PlaceContext): Promise<OrderResult> {
    const { ports } = this.#parts
    const { orderid } = payload
    return this.apply({
      operation: 'cancelorder',
      payload,
      context,
      repeatable: true,
      execute: async (begin, mode, target) => {
        if (orderid === '') return refusal('validation', 'Order ID is missing')
        await begin()
        if (mode === 'analyze') {
          return this.#simulated(target, (sandbox) => sandbox.cancel(context.userId, orderid))
        }
        return this.sender.atBroker('Failed to cancel order', target, async ({ orders }, exchange, turn) => {
          const id = await this.#prepared(orders, target, orderid, 'cancel')
          await turn()
          const { orderId } = await exchange.send(() => orders.cancel(id))
          return { outcome: 'changed', orderId }
        })
      },
      publish: (outcome) => {
        const base = baseOf(outcome)
        const { result } = outcome
        if (codeOf(result) === 'ok') {
          const facts = { ...base, orderid, status: 'success' }
          ports.publish({ topic: 'order.cancelled', result, facts })
        } else {
          const facts = { ...base, orderid, error_message: messageOfResult(result) }
          ports.publish({ topic: 'order.cancel_failed', result, facts })
        }
      },
    })
  }

  /** Cancels every pending order, stops included. */
  cancelAll(payload: WholeAccountPayload, context: PlaceContext): Promise<OrderResult> {
    const { clock, ports, sandbox } = this.#parts
    const resultOf = ({ message, cancelled, failed }: Cancellations): AllCancelledResult => {
      return { outcome: 'all_cancelled', message, cancelled, failed }
    }
    return this.apply({
      operation: 'cancelallorder',
      payload,
      context,
      repeatable: true,
      execute: async (begin, mode, target) => {
        await begin()
        if (mode === 'analyze') {
          const options = { veto: this.sender.simulatedVeto(target) }
          return resultOf(await target.exchange.send(() => sandbox.cancelAll(context.userId, options)))
        }
        return this.sender.atBroker('Failed to cancel orders', target, async (client, exchange, turn) =>
          resultOf(await cancelAllAt(client, clock, exchange, turn)),
        )
      },
      publish: (outcome) => {
        const { result } = outcome
        if (result.outcome !== 'all_cancelled') {
          publishFailed(ports, outcome)
          return
        }
        const { cancelled, failed } = result
        ports.publish({
          topic: 'orders.all_cancelled',
          result,
          facts: {
            ...baseOf(outcome),
            canceled_count: cancelled.length,
            failed_count: failed.length,
            canceled_orders: cancelled,
            failed_cancellations: failed,
          },
        })
      },
    })
  }

  /** Closes all open positions, or those that match. A close only reduces risk. */
  async close(payload: ClosePayload, context: PlaceContext): Promise<OrderResult> {
    const { multi, ports, simulatedCloses } = this.#parts
    const blocked = this.#blocked('closeposition', context)
    if (ports.mode() === 'live' && !blocked) return multi.closeLive(payload, context)
    return this.apply({
      operation: 'closeposition',
      payload,
      context,
      repeatable: false,
      execute: (begin, _mode, target) => simulatedCloses.run(payload, target, begin),
      resume: (stored, target) => simulatedCloses.resume(payload, target, stored),
      publish: (outcome) => publishClose(ports, outcome, payload),
    })
  }

  /** Returns the orders that a close would send now, or its result when nothing is open. Sends and writes nothing. @throws ServiceError */
  async planClose(payload: ClosePayload, context: PlaceContext): Promise<Planned> {
    const { multi, ports, simulatedCloses } = this.#parts
    if (ports.mode() === 'live') return multi.plan(CLOSE_POSITIONS, payload, context)
    const planned = await simulatedCloses.plan(payload, context.userId)
    const { legs } = planned.plan
    return legs.length === 0 ? { result: resultOfClose([], SIMULATED_CLOSE) } : planned
  }

  /** Runs a change: semi-auto block, key, execution and event. Every change uses it, GTTs included. */
  async apply({
    operation,
    payload,
    context,
    repeatable,
    execute,
    publish,
    resume,
  }: Change): Promise<OrderResult> {
    const { broker, clock, pipeline, ports } = this.#parts
    const mode = ports.mode()
    const exchange = new BrokerTimer(clock, context.startedAt)
    const { accountId, brokerId } = broker
    const target: Target = { operation, context, broker: brokerId, accountId, exchange }
    const outcomeOf = (result: OrderResult): Outcome => {
      return { mode, userId: context.userId, operation, request: { ...payload }, result }
    }
    // A modification by a signed-in person is decided on once its order is known.
    const isOpen = context.signedIn && ORDER_OPERATIONS[operation].lowersRisk === 'by its values'
    const blocked = isOpen ? undefined : this.#blocked(operation, context)
    if (blocked) {
      publish(outcomeOf(blocked))
      return blocked
    }
    const published = (result: OrderResult) => {
      publish(outcomeOf(result))
      const timing = changeTiming(target, payload, result)
      if (timing) ports.timed(timing)
      return result
    }
    const executed = async (begin: Begin) => {
      requireOnlyMode(context, mode)
      return published(markedWith(mode, await execute(begin, mode, target)))
    }
    return pipeline.once(
      { operation, payload, context },
      (claim) => executed(async (store) => claim && (store ? store(claim) : claim.write(mode, null))),
      async (stored) => {
        if (resume) {
          requireOnlyMode(context, mode)
          const { isNew, result } = await resume(stored, target)
          return isNew ? published(result) : result
        }
        // In the other mode it would change other orders.
        if (repeatable && stored.mode === mode) return executed(async () => undefined)
        return { outcome: 'in_doubt', message: UNKNOWN_CHANGE }
      },
    )
  }

  #blocked(operation: BlockedOperation, context: PlaceContext): UnplacedResult | undefined {
    const { ports, queue } = this.#parts
    return blockedInSemiAuto(operation, ports.mode(), context, queue)
  }

  async #simulated(
    { exchange }: Target,
    change: (sandbox: SandboxExecution) => ReturnType<SandboxExecution['cancel']>,
  ): Promise<OrderResult> {
    const outcome = await exchange.send(() => change(this.#parts.sandbox))
    if (!outcome.ok) return refusal(outcome.code, outcome.message)
    return { outcome: 'changed', orderId: outcome.orderId, message: outcome.message }
  }

  /** Returns the broker's id of an order, once its change needs no further question to the broker. */
  async #prepared(
    orders: BrokerOrders,
    { context, exchange }: Target,
    orderId: string,
    change: PreparedChange,
  ): Promise<string> {
    const id = await this.#named.brokerId(context, orderId)
    await exchange.read(async () => orders.prepareChange?.(id, change))
    return id
  }
}
