import { ServiceError } from '../../errors/index.js'
import type { TradingMode } from '../../trading/index.js'
import { orderIdAt } from '../journal/broker-id.js'
import type { JournalRow, OrderJournal } from '../journal/journal.js'
import { isOrderRef } from '../order-ref.js'
import type { LiveExecution, PlaceContext, SandboxExecution } from '../ports.js'
import type { UnplacedResult } from '../result.js'
import type { OrderRequest, OrderTerms } from '../schema.js'
import { otherOrderRefusal } from './fixed-terms.js'

interface NamedOrdersParts {
  journal: Pick<OrderJournal, 'find' | 'findByOrderId'>
  broker: LiveExecution
  sandbox: Pick<SandboxExecution, 'termsOf'>
}

/** Finds the orders that changes name, by the broker's id or by our reference. */
export class NamedOrders {
  constructor(private readonly parts: NamedOrdersParts) {}

  /** Returns the journal's row of an order at a broker; undefined if it was not placed here. */
  row(broker: string, orderId: string): Promise<JournalRow | undefined> {
    const { journal } = this.parts
    return isOrderRef(orderId) ? journal.find(orderId) : journal.findByOrderId(broker, orderId)
  }

  /** Returns the broker's id of an order. @throws ServiceError `not_found` for a reference that the broker has no order of */
  async brokerId({ userId }: Pick<PlaceContext, 'userId'>, orderId: string): Promise<string> {
    if (!isOrderRef(orderId)) return orderId
    const { broker, journal } = this.parts
    const row = await journal.find(orderId)
    const id = row?.userId === userId ? orderIdAt(broker.brokerId, row) : undefined
    if (id !== undefined) return id
    throw new ServiceError('not_found', `Order ${orderId} not found`)
  }

  /** Returns an order as it is at the broker or in the sandbox; undefined when it is not there. */
  async termsNow(
    mode: TradingMode,
    context: Pick<PlaceContext, 'userId'>,
    orderId: string,
  ): Promise<OrderTerms | undefined> {
    const { broker, sandbox } = this.parts
    if (mode === 'analyze') return sandbox.termsOf(context.userId, orderId)
    const { orders } = broker.client()
    const id = await this.brokerId(context, orderId)
    return (await orders.list()).find((row) => row.orderId === id)
  }

  /**
   * Returns the change of an order as its mode makes it. The sandbox ignores another instrument, side or product in the change,
   * as the public system does, so the gate checks those of the order.
   */
  async asMade(
    mode: TradingMode,
    { userId }: Pick<PlaceContext, 'userId'>,
    orderId: string,
    order: OrderRequest,
  ): Promise<OrderRequest> {
    const own = mode === 'analyze' ? await this.parts.sandbox.termsOf(userId, orderId) : undefined
    if (!own) return order
    const { action, exchange, product, symbol } = own
    return { ...order, symbol, exchange, action, product }
  }

  /**
   * Returns the refusal of a live change that names another order than that of its id. The broker is asked only about an order
   * that was not placed here, and when the journal differs: a broker may show another product than that of the placement.
   * @param row of the journal @throws BrokerError, ServiceError if the broker is asked and does not answer
   */
  async otherOrderRefusal(
    row: JournalRow | undefined,
    context: Pick<PlaceContext, 'userId'>,
    orderId: string,
    order: OrderRequest,
  ): Promise<UnplacedResult | undefined> {
    const recorded = row && otherOrderRefusal(row, order)
    if (row && !recorded) return undefined
    const now = await this.termsNow('live', context, orderId)
    return now ? otherOrderRefusal(now, order) : recorded
  }
}
