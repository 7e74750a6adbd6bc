import { and, asc, desc, eq, gt, lte } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { sandboxOrders } from '../storage/tables/sandbox/orders.js'
import { orderEvents, orderJournal } from '../storage/tables/svc/orders.js'

/** Reads the changes of live orders, in the order of their commits. */
export class LiveOrderStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async last(): Promise<number> {
    const { id } = orderEvents
    const [row] = await this.#db.read.select({ id }).from(orderEvents).orderBy(desc(id)).limit(1)
    return row?.id ?? 0
  }

  changes(after: number, limit: number) {
    const { approvalId, broker, operation, orderId, request, source, userId } = orderJournal
    const { at, detail, fromState, id, orderRef, toState } = orderEvents
    return this.#db.read
      .select({
        ...{ id, at, orderRef, fromState, toState, detail },
        ...{ userId, source, operation, broker, orderId, approvalId, request },
      })
      .from(orderEvents)
      .leftJoin(orderJournal, eq(orderJournal.orderRef, orderRef))
      .where(gt(id, after))
      .orderBy(asc(id))
      .limit(limit)
  }
}

/** Reads the orders of the simulated account by their ids, which sort by time. */
export class SimulatedOrderStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async last(): Promise<string> {
    const { orderId } = sandboxOrders
    const [row] = await this.#db.read.select({ orderId }).from(sandboxOrders).orderBy(desc(orderId)).limit(1)
    return row?.orderId ?? ''
  }

  /** @param until only orders up to this instant, whose neighbours are stored */
  orders(after: string, until: number, limit: number) {
    const { action, createdAt, exchange, gttLegId, orderId, price, priceType, product, quantity } =
      sandboxOrders
    const { strategy, symbol, userId } = sandboxOrders
    return this.#db.read
      .select({
        ...{ orderId, createdAt, userId, strategy, symbol, exchange, action, quantity, price },
        ...{ priceType, product, gttLegId },
      })
      .from(sandboxOrders)
      .where(and(gt(orderId, after), lte(createdAt, until)))
      .orderBy(asc(orderId))
      .limit(limit)
  }
}
