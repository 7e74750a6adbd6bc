import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { EXCHANGES } from '../../../instruments/schema.js'
import { fromColumn, toColumn } from '../../../money/index.js'
import {
  ACTIONS,
  GTT_PRICE_TYPES,
  GTT_PRODUCTS,
  ORDER_STATUSES,
  PRICE_TYPES,
  PRODUCTS,
} from '../../../orders/schema.js'
import { allBut, Database, damageOf, insertInto, type Row } from '../../../storage/index.js'
import { BrokerError } from '../../broker.js'
import type { ExchangeGtt } from './exchange-gtt.js'
import type { ExchangeOrder, ExchangeTrade } from './exchange-order.js'
import { ADDED_COLUMNS, exchangeGtts, exchangeOrders, exchangeTrades, SCHEMA } from './tables.js'

const GTT_STATUSES = ['active', 'triggered', 'cancelled', 'expired', 'rejected'] as const

/** The stored request of a GTT. Only its shape is checked: the rules were checked when it was accepted. */
const gttRequest = z
  .object({
    strategy: z.string(),
    type: z.enum(['SINGLE', 'OCO']),
    symbol: z.string(),
    exchange: z.enum(EXCHANGES),
    action: z.enum(ACTIONS),
    quantity: z.number(),
    product: z.enum(GTT_PRODUCTS),
    priceType: z.enum(GTT_PRICE_TYPES),
    legs: z.array(
      z.object({ kind: z.enum(['stop', 'target']), triggerPrice: z.number(), price: z.number() }),
    ),
    expiresAt: z.string().optional(),
  })
  .transform((request) => ({ ...request, expiresAt: request.expiresAt }))

/** The stored instructions of an order. Only their shape is checked. */
const instructions = z.object({
  validity: z.enum(['IOC', 'TTL']).exactOptional(),
  validityTtl: z.number().exactOptional(),
  amo: z.literal(true).exactOptional(),
  icebergLegs: z.number().exactOptional(),
  marketProtection: z.number().exactOptional(),
  algoId: z.string().exactOptional(),
})

const SAVE_ORDERS = insertInto(exchangeOrders, allBut(exchangeOrders), { key: ['orderId'] })
const SAVE_TRADES = insertInto(exchangeTrades, allBut(exchangeTrades))
/** The tag of a GTT never changes. */
const SAVE_GTTS = insertInto(exchangeGtts, allBut(exchangeGtts), {
  key: ['triggerId'],
  replace: ['status', 'request', 'lastPrice', 'createdAt', 'updatedAt', 'orderId'],
})

/** One row of the exchange's own record: an order that it accepted or refused, with its tag. */
export interface LedgerEntry {
  orderId: string
  tag: string
  status: string
  quantity: number
  filledQuantity: number
}

/**
 * The exchange's database file: every order it accepted or refused, and every trade. All SQL of the exchange.
 */
export class ExchangeStore {
  /** The open file, which a backup copies together with those of the service. */
  readonly database: Database

  private constructor(database: Database) {
    this.database = database
  }

  /** Opens `exchange.db` in a directory and creates both if missing. */
  static async open(directory: string): Promise<ExchangeStore> {
    await mkdir(directory, { recursive: true })
    const file = join(directory, 'exchange.db')
    const damage = await damageOf(file)
    if (damage !== undefined) {
      throw new BrokerError(
        'unavailable',
        `${file} is damaged (${damage}). It contains the orders and trades of the simulated exchange: restore it from a ` +
          'backup, or move it away to start with an empty exchange.',
        { sent: 'never' },
      )
    }
    const database = await Database.open({ file, schema: undefined })
    await database.write(async (tx) => {
      for (const statement of SCHEMA) await tx.exec(statement)
    })
    const store = new ExchangeStore(database)
    const missing = await store.missingColumns()
    await database.write(async (tx) => {
      for (const { name, type } of missing) {
        await tx.exec(`alter table exchange_orders add column ${name} ${type}`)
      }
    })
    return store
  }

  /** Returns the columns that the file of an earlier version lacks. */
  async missingColumns(): Promise<readonly (typeof ADDED_COLUMNS)[number][]> {
    const known = await this.database.queryRaw(`select name from pragma_table_info('exchange_orders')`)
    return ADDED_COLUMNS.filter(({ name }) => !known.some((row) => row.name === name))
  }

  /** Returns the path of a file of the exchange that was removed or replaced since it was opened. */
  missing(): string | undefined {
    return this.database.missing()
  }

  /**
   * Stores orders, their trades and the triggers that sent them in one transaction. Resolves when they are on
   * disk.
   */
  async save(
    orders: readonly ExchangeOrder[],
    trades: readonly ExchangeTrade[],
    gtts: readonly ExchangeGtt[] = [],
  ): Promise<void> {
    // Copy the values now: the orders may change again before the writer runs.
    const rows = [
      SAVE_ORDERS.rows(orders.map((order) => ({ ...order, filledValue: toColumn(order.filledValue) }))),
      SAVE_TRADES.rows(trades),
      SAVE_GTTS.rows(gtts),
    ]
    await this.database.script(() => rows)
  }

  /** Returns the triggers that may still fire, oldest first, and the highest trigger id so far. */
  async gtts(): Promise<{ active: ExchangeGtt[]; lastId: string }> {
    const rows = await this.database.queryRaw(
      `select * from exchange_gtts where status = 'active' order by trigger_id`,
    )
    const [last] = await this.database.queryRaw('select max(trigger_id) as last_gtt from exchange_gtts')
    return { active: rows.map(gttOf), lastId: last ? text(last, 'last_gtt') : '' }
  }

  async gttByTag(tag: string): Promise<ExchangeGtt | undefined> {
    const [row] = await this.database.queryRaw('select * from exchange_gtts where tag = ?', [tag])
    return row && gttOf(row)
  }

  /** Returns orders placed at or after an instant, and older ones that can still trade; oldest first. */
  async ordersSince(since: number): Promise<ExchangeOrder[]> {
    const rows = await this.database.queryRaw(
      `select * from exchange_orders where placed_at >= ? or status in ('open', 'trigger pending') order by order_id`,
      [since],
    )
    return rows.map(orderOf)
  }

  /** Returns the orders with a tag, and the order that the GTT with this tag sent. */
  async ordersByTag(tag: string): Promise<ExchangeOrder[]> {
    const rows = await this.database.queryRaw(
      `select * from exchange_orders where tag = ?
         or order_id in (select order_id from exchange_gtts where tag = ?) order by order_id`,
      [tag, tag],
    )
    return rows.map(orderOf)
  }

  async order(orderId: string): Promise<ExchangeOrder | undefined> {
    const [row] = await this.database.queryRaw('select * from exchange_orders where order_id = ?', [orderId])
    return row && orderOf(row)
  }

  /** Returns every trade in the order of execution. */
  async trades(): Promise<ExchangeTrade[]> {
    const rows = await this.database.queryRaw('select * from exchange_trades order by trade_id')
    return rows.map(tradeOf)
  }

  async entries(): Promise<LedgerEntry[]> {
    const rows = await this.database.queryRaw(
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

  /** Returns the highest order and trade ids so far. */
  async lastIds(): Promise<{ order: string; trade: string }> {
    const [row] = await this.database.queryRaw(
      `select (select max(order_id) from exchange_orders) as last_order,
              (select max(trade_id) from exchange_trades) as last_trade`,
    )
    return { order: row ? text(row, 'last_order') : '', trade: row ? text(row, 'last_trade') : '' }
  }

  close(): Promise<void> {
    return this.database.close()
  }
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
    instructions:
      row.instructions === null ? null : instructions.parse(JSON.parse(text(row, 'instructions'))),
    opensAt: row.opens_at === null ? null : number(row, 'opens_at'),
    reference: row.reference === null ? null : number(row, 'reference'),
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

function gttOf(row: Row): ExchangeGtt {
  return {
    triggerId: text(row, 'trigger_id'),
    tag: text(row, 'tag'),
    status: oneOf(GTT_STATUSES, row.status),
    request: gttRequest.parse(JSON.parse(text(row, 'request'))),
    lastPrice: number(row, 'last_price'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
    orderId: text(row, 'order_id'),
  }
}

function text(row: Row, column: string): string {
  return String(row[column] ?? '')
}

function number(row: Row, column: string): number {
  return Number(row[column])
}

/**
 * Converts a stored word to its type. @throws if the file has an unknown word: refusing to start is better
 * than a wrong order book
 */
function oneOf<T extends string>(words: readonly T[], value: unknown): T {
  const word = words.find((candidate) => candidate === value)
  if (word === undefined) throw new Error(`exchange.db has an unknown value: ${String(value)}`)
  return word
}
