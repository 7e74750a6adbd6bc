import { and, desc, eq, gte, max, sql } from 'drizzle-orm'
import { crashPoint } from '../errors/index.js'
import { symbolKey } from '../market/schema.js'
import { fromColumn } from '../money/index.js'
import type { Database, RowsStatement } from '../storage/index.js'
import {
  sandboxConfig,
  sandboxFunds,
  sandboxHoldings,
  sandboxPositions,
} from '../storage/tables/sandbox/accounts.js'
import { sandboxOrders, sandboxTrades } from '../storage/tables/sandbox/orders.js'
import { Book, newAccount, positionKey } from './book.js'
import type { Changes } from './changes.js'
import {
  CONFIG,
  FUNDS,
  HOLDINGS,
  ORDERS,
  POSITIONS,
  TRADES,
  toFunds,
  toHolding,
  toOrder,
  toPosition,
} from './rows.js'
import type { SandboxOrder, SandboxTrade } from './schema.js'

/** All SQL of the sandbox. */
export class SandboxStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Writes what decisions changed, as one transaction: an order, its trade, position and funds or none of them. */
  write(take: () => Changes): Promise<void> {
    return this.#db.script(
      () => statementsOf(take()),
      () => crashPoint('fills.apply.midTransaction'),
    )
  }

  /** The accounts and waiting orders as they are on disk. */
  async load(): Promise<Book> {
    const read = this.#db.read
    const [funds, positions, holdings, waiting] = await Promise.all([
      read.select().from(sandboxFunds),
      read.select().from(sandboxPositions),
      read.select().from(sandboxHoldings),
      // Spelled as the partial index is, or SQLite would not use it.
      read
        .select()
        .from(sandboxOrders)
        .where(sql`${sandboxOrders.status} in ('open', 'trigger pending')`)
        .orderBy(sandboxOrders.orderId),
    ])
    const book = new Book()
    for (const row of funds) book.accounts.set(row.userId, newAccount(toFunds(row)))
    for (const row of positions) {
      const position = toPosition(row)
      book.accounts.get(row.userId)?.positions.set(positionKey(position), position)
      if (position.quantity !== 0) book.countOpen(symbolKey(position), 1)
    }
    for (const row of holdings) {
      book.accounts.get(row.userId)?.holdings.set(symbolKey(row), toHolding(row))
      if (row.quantity !== 0) book.countOpen(symbolKey(row), 1)
    }
    for (const row of waiting) book.addWaiting(toOrder(row))
    return book
  }

  async order(orderId: string): Promise<SandboxOrder | undefined> {
    const rows = await this.#db.read.select().from(sandboxOrders).where(eq(sandboxOrders.orderId, orderId))
    return rows.map(toOrder)[0]
  }

  /** Orders accepted since `from`, newest first. */
  async orders(userId: string, from: number): Promise<SandboxOrder[]> {
    const rows = await this.#db.read
      .select()
      .from(sandboxOrders)
      .where(and(eq(sandboxOrders.userId, userId), gte(sandboxOrders.createdAt, from)))
      .orderBy(desc(sandboxOrders.createdAt), desc(sandboxOrders.orderId))
    return rows.map(toOrder)
  }

  /** Trades since `from`, newest first. */
  async trades(userId: string, from: number): Promise<SandboxTrade[]> {
    const rows = await this.#db.read
      .select()
      .from(sandboxTrades)
      .where(and(eq(sandboxTrades.userId, userId), gte(sandboxTrades.tradedAt, from)))
      .orderBy(desc(sandboxTrades.tradedAt), desc(sandboxTrades.tradeId))
    return rows.map((row) => ({ ...row, price: fromColumn(row.price) }))
  }

  async highestOrderId(): Promise<string | undefined> {
    const [row] = await this.#db.read.select({ highest: max(sandboxOrders.orderId) }).from(sandboxOrders)
    return row?.highest ?? undefined
  }

  async settings(): Promise<[string, string][]> {
    const rows = await this.#db.read.select().from(sandboxConfig)
    return rows.map((row) => [row.key, row.value])
  }
}

const DELETIONS = ['orders', 'trades', 'positions', 'holdings', 'daily_pnl', 'funds'].map(
  (table) => `delete from sandbox_${table} where user_id in (select value ->> 0 from json_each(?))`,
)

function statementsOf(changes: Changes): RowsStatement[] {
  const resets = [...changes.resets].map((userId) => [userId])
  return [
    ...DELETIONS.map((sql) => ({ sql, rows: resets })),
    ORDERS.rows(changes.orders),
    TRADES.rows(changes.trades),
    POSITIONS.rows(changes.positions),
    HOLDINGS.rows(changes.holdings),
    FUNDS.rows(changes.funds),
    CONFIG.rows(changes.settings),
  ]
}
