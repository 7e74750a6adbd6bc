import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { ServiceError } from '../../errors/index.js'
import { fromColumn, fromMoney } from '../../money/index.js'
import {
  type HistoryQuery,
  hasPrice,
  type PastOrder,
  type PastStatus,
  type PastTrade,
} from '../../orders/schema.js'
import type { Database } from '../../storage/index.js'
import { sandboxOrders, sandboxTrades } from '../../storage/tables/sandbox/orders.js'
import { toOrder } from './rows.js'

/** The simulated orders and trades of all sessions since the last reset. */
export class SandboxHistory {
  /** @param concluded resolves when every decision until now is stored or dropped */
  constructor(
    private readonly db: Database,
    private readonly concluded: () => Promise<void>,
  ) {}

  async orders(
    userId: string,
    query: HistoryQuery & { status?: PastStatus | undefined },
  ): Promise<PastOrder[]> {
    await this.concluded()
    const { before, limit, status } = query
    if (before !== undefined) await this.#requireRow(sandboxOrders, sandboxOrders.orderId, before)
    const rows = await this.db.read
      .select()
      .from(sandboxOrders)
      .where(
        and(
          ...matching(sandboxOrders, sandboxOrders.createdAt, userId, query),
          status === undefined ? undefined : sql`${sandboxOrders.status} = ${status}`,
          before === undefined
            ? undefined
            : sql`(${sandboxOrders.createdAt}, ${sandboxOrders.orderId}) <
                (select created_at, order_id from sandbox_orders where order_id = ${before})`,
        ),
      )
      .orderBy(desc(sandboxOrders.createdAt), desc(sandboxOrders.orderId))
      .limit(limit)
    return rows.map(pastOrder)
  }

  async trades(userId: string, query: HistoryQuery): Promise<PastTrade[]> {
    await this.concluded()
    const { before, limit } = query
    if (before !== undefined) await this.#requireRow(sandboxTrades, sandboxTrades.tradeId, before)
    const rows = await this.db.read
      .select()
      .from(sandboxTrades)
      .where(
        and(
          ...matching(sandboxTrades, sandboxTrades.tradedAt, userId, query),
          before === undefined
            ? undefined
            : sql`(${sandboxTrades.tradedAt}, ${sandboxTrades.tradeId}) <
                (select traded_at, trade_id from sandbox_trades where trade_id = ${before})`,
        ),
      )
      .orderBy(desc(sandboxTrades.tradedAt), desc(sandboxTrades.tradeId))
      .limit(limit)
    return rows.map((row) => ({
      key: row.tradeId,
      at: row.tradedAt,
      orderId: row.orderId,
      symbol: row.symbol,
      exchange: row.exchange,
      action: row.action,
      product: row.product,
      quantity: row.quantity,
      averagePrice: fromMoney(fromColumn(row.price)),
      strategy: row.strategy,
    }))
  }

  /** @throws ServiceError `validation` if a reset removed the row: an empty page would look like the end */
  async #requireRow(
    table: typeof sandboxOrders | typeof sandboxTrades,
    id: typeof sandboxOrders.orderId | typeof sandboxTrades.tradeId,
    key: string,
  ): Promise<void> {
    const [row] = await this.db.read.select({ id }).from(table).where(eq(id, key))
    if (row !== undefined) return
    throw new ServiceError('validation', 'before: Must be the next_before of an earlier page of this list.')
  }
}

function matching(
  table: typeof sandboxOrders | typeof sandboxTrades,
  at: typeof sandboxOrders.createdAt | typeof sandboxTrades.tradedAt,
  userId: string,
  { exchange, since, strategy, symbol, until }: HistoryQuery,
): readonly (SQL | undefined)[] {
  return [
    eq(table.userId, userId),
    since === undefined ? undefined : gte(at, since),
    until === undefined ? undefined : lt(at, until),
    symbol === undefined ? undefined : eq(table.symbol, symbol),
    exchange === undefined ? undefined : sql`${table.exchange} = ${exchange}`,
    strategy === undefined ? undefined : eq(table.strategy, strategy),
  ]
}

function pastOrder(row: typeof sandboxOrders.$inferSelect): PastOrder {
  const order = toOrder(row)
  return {
    key: order.orderId,
    at: order.createdAt,
    orderId: order.orderId,
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    product: order.product,
    priceType: order.priceType,
    quantity: order.quantity,
    filledQuantity: order.filledQuantity,
    // A MARKET order keeps the last price at its acceptance here.
    price: hasPrice(order.priceType, 'price') ? fromMoney(order.price) : 0,
    triggerPrice: fromMoney(order.triggerPrice),
    averagePrice: fromMoney(order.averagePrice),
    status: order.status,
    reason: order.rejectionReason,
    strategy: order.strategy,
  }
}
