import { sql } from 'drizzle-orm'
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Exchange } from '../../../instruments/schema.js'
import type { Action, OrderStatus, PriceType, Product } from '../../../orders/schema.js'

/** Orders of the simulated account. Prices and margin are in ten-thousandths of a rupee, times in UTC ms. */
export const sandboxOrders = sqliteTable(
  'sandbox_orders',
  {
    orderId: text('order_id').primaryKey(),
    userId: text('user_id').notNull(),
    strategy: text('strategy').notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').$type<Exchange>().notNull(),
    action: text('action').$type<Action>().notNull(),
    quantity: real('quantity').notNull(),
    /** Limit price; for a MARKET order the last price when the order was accepted. */
    price: integer('price').notNull(),
    triggerPrice: integer('trigger_price').notNull(),
    priceType: text('price_type').$type<PriceType>().notNull(),
    product: text('product').$type<Product>().notNull(),
    status: text('status').$type<OrderStatus>().notNull(),
    averagePrice: integer('average_price').notNull(),
    filledQuantity: real('filled_quantity').notNull(),
    rejectionReason: text('rejection_reason').notNull(),
    /** Margin the order blocks now; 0 once it is no longer waiting. */
    margin: integer('margin_blocked').notNull(),
    /** Units the margin is for: the part of the order that opens a position. */
    marginQuantity: real('margin_quantity').notNull(),
    /** The GTT leg that sent the order. It is unique, so a leg never sends two orders. */
    gttLegId: text('gtt_leg_id'),
    /** True if a run of a strategy sent it. Anybody may name the strategy. */
    ofRun: integer('of_run', { mode: 'boolean' }).notNull().default(false),
    /** Null for an order of the day. */
    validity: text('validity').$type<'IOC' | 'TTL'>(),
    /** When a TTL order ends. */
    expiresAt: integer('expires_at'),
    /** The opening that an AMO waits for; null once the market has opened. */
    opensAt: integer('opens_at'),
    icebergLegs: integer('iceberg_legs'),
    /** Percent of the price; -1 for the broker's own limit, which the sandbox has none of. */
    marketProtection: real('market_protection'),
    algoId: text('algo_id'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    index('sandbox_orders_user_created').on(table.userId, table.createdAt),
    uniqueIndex('sandbox_orders_gtt_leg').on(table.gttLegId),
    // A small partial index: a start finds the waiting orders without reading the history.
    index('sandbox_orders_waiting').on(table.status).where(sql`status in ('open', 'trigger pending')`),
  ],
)

/**
 * Fills. An order fills once and completely; the unique index ensures it. Rows are only ever added (a reset
 * deletes all of a user), so that totals can be kept up to an `id`.
 */
export const sandboxTrades = sqliteTable(
  'sandbox_trades',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    tradeId: text('trade_id').notNull(),
    orderId: text('order_id').notNull(),
    userId: text('user_id').notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').$type<Exchange>().notNull(),
    action: text('action').$type<Action>().notNull(),
    quantity: real('quantity').notNull(),
    price: integer('price').notNull(),
    product: text('product').$type<Product>().notNull(),
    strategy: text('strategy').notNull(),
    tradedAt: integer('traded_at').notNull(),
  },
  (table) => [
    uniqueIndex('sandbox_trades_trade').on(table.tradeId),
    uniqueIndex('sandbox_trades_order').on(table.orderId),
    index('sandbox_trades_user_traded').on(table.userId, table.tradedAt),
  ],
)

/**
 * One row: an id that is as high as every id of an earlier process that its orders do not tell. Callers store ids before
 * their orders exist, and a reset deletes orders.
 */
export const sandboxOrderIds = sqliteTable('sandbox_order_ids', {
  id: integer().primaryKey(),
  floor: text('floor').notNull(),
})
