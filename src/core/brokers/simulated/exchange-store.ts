import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fromColumn, toColumn } from '../../money/index.js'
import { ACTIONS, ORDER_STATUSES, PRICE_TYPES, PRODUCTS } from '../../orders/schema.js'
import { BatchStatement, Database, type Row, type SqlValue } from '../../storage/index.js'
import type { ExchangeOrder, ExchangeTrade } from './exchange-order.js'

/** Columns of both tables beside the fields they hold, in the order of the row builders. */
const ORDER_COLUMNS = [
  'order_id',
  'tag',
  'symbol',
  'exchange',
  'action',
  'quantity',
  'price',
  'trigger_price',
  'price_type',
  'product',
  'status',
  'filled_quantity',
  'filled_value',
  'rejection_reason',
  'placed_at',
  'updated_at',
] as const
const TRADE_COLUMNS = [
  'trade_id',
  'order_id',
  'symbol',
  'exchange',
  'action',
  'quantity',
  'price',
  'product',
  'multiplier',
  'timestamp',
] as const

const SCHEMA = [
  `create table if not exists exchange_orders (
    order_id text primary key, tag text not null, symbol text not null, exchange text not null,
    action text not null, quantity real not null, price real not null, trigger_price real not null,
    price_type text not null, product text not null, status text not null, filled_quantity real not null,
    filled_value integer not null, rejection_reason text not null, placed_at integer not null,
    updated_at integer not null
  ) without rowid`,
  'create index if not exists exchange_orders_tag on exchange_orders (tag)',
  'create index if not exists exchange_orders_placed_at on exchange_orders (placed_at)',
  `create index if not exists exchange_orders_active on exchange_orders (placed_at)
    where status in ('open', 'trigger pending')`,
  `create table if not exists exchange_trades (
    trade_id text primary key, order_id text not null, symbol text not null, exchange text not null,
    action text not null, quantity real not null, price real not null, product text not null,
    multiplier real not null, timestamp integer not null
  ) without rowid`,
]

const CHANGING = ORDER_COLUMNS.filter((column) => column !== 'order_id')
const SAVE_ORDERS = new BatchStatement({
  table: 'exchange_orders',
  columns: ORDER_COLUMNS,
  onConflict: `on conflict (order_id) do update set ${CHANGING.map((c) => `${c} = excluded.${c}`).join(', ')}`,
})
const SAVE_TRADES = new BatchStatement({ table: 'exchange_trades', columns: TRADE_COLUMNS })

/** One line of the exchange's own record: what it accepted or refused, under which tag. */
export interface LedgerEntry {
  orderId: string
  tag: string
  status: string
  quantity: number
  filledQuantity: number
}

/** The exchange's file: every order it ever accepted or refused, and every trade. All SQL of the exchange. */
export class ExchangeStore {
  readonly #database: Database

  private constructor(database: Database) {
    this.#database = database
  }

  /** Opens `exchange.db` in a directory, creating both. */
  static async open(directory: string): Promise<ExchangeStore> {
    await mkdir(directory, { recursive: true })
    const database = await Database.open({ file: join(directory, 'exchange.db'), schema: undefined })
    await database.write(async (tx) => {
      for (const statement of SCHEMA) await tx.exec(statement)
    })
    return new ExchangeStore(database)
  }

  /** Stores orders and the trades that changed them, all or nothing. Resolves once durable. */
  async save(orders: readonly ExchangeOrder[], trades: readonly ExchangeTrade[]): Promise<void> {
    // Taken now: the orders may change again before the writer comes to them.
    const orderRows = BatchStatement.parameter(orders.map(orderValues))
    const tradeRows = BatchStatement.parameter(trades.map(tradeValues))
    await this.#database.write(async (tx) => {
      await tx.exec(SAVE_ORDERS.sql, [orderRows])
      if (trades.length > 0) await tx.exec(SAVE_TRADES.sql, [tradeRows])
    })
  }

  /** Orders placed at or after an instant, and older ones that can still trade; oldest first. */
  async ordersSince(since: number): Promise<ExchangeOrder[]> {
    const rows = await this.#database.queryRaw(
      `select * from exchange_orders where placed_at >= ? or status in ('open', 'trigger pending') order by order_id`,
      [since],
    )
    return rows.map(orderOf)
  }

  async ordersByTag(tag: string): Promise<ExchangeOrder[]> {
    const rows = await this.#database.queryRaw(
      'select * from exchange_orders where tag = ? order by order_id',
      [tag],
    )
    return rows.map(orderOf)
  }

  /** Every trade, in the order they happened. */
  async trades(): Promise<ExchangeTrade[]> {
    const rows = await this.#database.queryRaw('select * from exchange_trades order by trade_id')
    return rows.map(tradeOf)
  }

  async entries(): Promise<LedgerEntry[]> {
    const rows = await this.#database.queryRaw(
      'select order_id, tag, status, quantity, filled_quantity from exchange_orders order by order_id',
    )
    return rows.map((row) => ({
      orderId: text(row, 'order_id'),
      tag: text(row, 'tag'),
      status: text(row, 'status'),
      quantity: number(row, 'quantity'),
      filledQuantity: number(row, 'filled_quantity'),
    }))
  }

  /** The highest numbers given out so far, to go on from. */
  async lastIds(): Promise<{ order: string; trade: string }> {
    const [row] = await this.#database.queryRaw(
      `select (select max(order_id) from exchange_orders) as last_order,
              (select max(trade_id) from exchange_trades) as last_trade`,
    )
    return { order: row ? text(row, 'last_order') : '', trade: row ? text(row, 'last_trade') : '' }
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

function orderValues(order: ExchangeOrder): SqlValue[] {
  return [
    order.orderId,
    order.tag,
    order.symbol,
    order.exchange,
    order.action,
    order.quantity,
    order.price,
    order.triggerPrice,
    order.priceType,
    order.product,
    order.status,
    order.filledQuantity,
    toColumn(order.filledValue),
    order.rejectionReason,
    order.placedAt,
    order.updatedAt,
  ]
}

function tradeValues(trade: ExchangeTrade): SqlValue[] {
  return [
    trade.tradeId,
    trade.orderId,
    trade.symbol,
    trade.exchange,
    trade.action,
    trade.quantity,
    trade.price,
    trade.product,
    trade.multiplier,
    trade.timestamp,
  ]
}

function orderOf(row: Row): ExchangeOrder {
  return {
    orderId: text(row, 'order_id'),
    tag: text(row, 'tag'),
    symbol: text(row, 'symbol'),
    exchange: text(row, 'exchange'),
    action: oneOf(ACTIONS, row.action),
    quantity: number(row, 'quantity'),
    price: number(row, 'price'),
    triggerPrice: number(row, 'trigger_price'),
    priceType: oneOf(PRICE_TYPES, row.price_type),
    product: oneOf(PRODUCTS, row.product),
    status: oneOf(ORDER_STATUSES, row.status),
    filledQuantity: number(row, 'filled_quantity'),
    filledValue: fromColumn(number(row, 'filled_value')),
    rejectionReason: text(row, 'rejection_reason'),
    placedAt: number(row, 'placed_at'),
    updatedAt: number(row, 'updated_at'),
  }
}

function tradeOf(row: Row): ExchangeTrade {
  return {
    tradeId: text(row, 'trade_id'),
    orderId: text(row, 'order_id'),
    symbol: text(row, 'symbol'),
    exchange: text(row, 'exchange'),
    action: oneOf(ACTIONS, row.action),
    quantity: number(row, 'quantity'),
    price: number(row, 'price'),
    product: oneOf(PRODUCTS, row.product),
    multiplier: number(row, 'multiplier'),
    timestamp: number(row, 'timestamp'),
  }
}

function text(row: Row, column: string): string {
  return String(row[column] ?? '')
}

function number(row: Row, column: string): number {
  return Number(row[column])
}

/** A stored word of a vocabulary. @throws when the file holds something else: better no book than a wrong one */
function oneOf<T extends string>(words: readonly T[], value: unknown): T {
  const word = words.find((candidate) => candidate === value)
  if (word === undefined) throw new Error(`exchange.db holds an unknown value: ${String(value)}`)
  return word
}
