import { integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Exchange } from '../../../instruments/schema.js'
import type { Product } from '../../../orders/schema.js'

/** Balances of simulated accounts. Money columns are whole ten-thousandths of a rupee; times are UTC ms. */
export const sandboxFunds = sqliteTable('sandbox_funds', {
  userId: text('user_id').primaryKey(),
  capital: integer('total_capital').notNull(),
  available: integer('available_balance').notNull(),
  used: integer('used_margin').notNull(),
  realized: integer('realized_pnl').notNull(),
  /** Realised P&L of the session in `todaySession`; stale once that session is over. */
  todayRealized: integer('today_realized_pnl').notNull(),
  todaySession: text('today_session').notNull(),
  lastResetAt: integer('last_reset_at').notNull(),
  resetCount: integer('reset_count').notNull(),
})

export const sandboxPositions = sqliteTable(
  'sandbox_positions',
  {
    userId: text('user_id').notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').$type<Exchange>().notNull(),
    product: text('product').$type<Product>().notNull(),
    /** Signed: negative is short. */
    quantity: real('quantity').notNull(),
    /**
     * Exact sum of price x quantity of the open quantity. The average is computed from it and never stored
     * rounded.
     */
    cost: integer('cost').notNull(),
    margin: integer('margin_blocked').notNull(),
    realized: integer('accumulated_realized_pnl').notNull(),
    todayRealized: integer('today_realized_pnl').notNull(),
    todaySession: text('today_session').notNull(),
    /**
     * The last session with a trade; the two columns after it hold the position at the start of that session.
     */
    openingSession: text('opening_session').notNull().default(''),
    openingQuantity: real('opening_quantity').notNull().default(0),
    openingCost: integer('opening_cost').notNull().default(0),
    contractValue: real('contract_value').notNull(),
    /** Last known price at the time of the last change. */
    ltp: integer('ltp').notNull(),
    createdAt: integer('created_at').notNull(),
    /** The last time the position went from flat to open; T+1 settlement uses it. */
    openedAt: integer('opened_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.symbol, table.exchange, table.product] })],
)

/** Shares that were settled into the account (T+1). */
export const sandboxHoldings = sqliteTable(
  'sandbox_holdings',
  {
    userId: text('user_id').notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').$type<Exchange>().notNull(),
    quantity: real('quantity').notNull(),
    cost: integer('cost').notNull(),
    ltp: integer('ltp').notNull(),
    settledAt: integer('settled_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.symbol, table.exchange] })],
)

/** One row per user and session date, written at the end of the day. */
export const sandboxDailyPnl = sqliteTable(
  'sandbox_daily_pnl',
  {
    userId: text('user_id').notNull(),
    date: text('date').notNull(),
    realized: integer('realized_pnl').notNull(),
    positionsUnrealized: integer('positions_unrealized_pnl').notNull(),
    holdingsUnrealized: integer('holdings_unrealized_pnl').notNull(),
    totalMtm: integer('total_mtm').notNull(),
    available: integer('available_balance').notNull(),
    used: integer('used_margin').notNull(),
    portfolioValue: integer('portfolio_value').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.date] })],
)

/** Settings that differ from their defaults. */
export const sandboxConfig = sqliteTable('sandbox_config', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
})
