import { and, asc, desc, gt, lte } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { sandboxOrders } from '../storage/tables/sandbox/orders.js'

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
        orderId,
        createdAt,
        userId,
        strategy,
        symbol,
        exchange,
        action,
        quantity,
        price,
        priceType,
        product,
        gttLegId,
      })
      .from(sandboxOrders)
      .where(and(gt(orderId, after), lte(createdAt, until)))
      .orderBy(asc(orderId))
      .limit(limit)
  }
}
