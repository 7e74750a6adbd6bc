import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/**
 * Running totals of strategies, in the database file of their fills. Money is text in whole ten-thousandths
 * of a rupee: the price of one unit times the units, without the multiplier of the contract.
 */
export const strategyLegs = sqliteTable(
  'strategy_legs',
  {
    userId: text('user_id').notNull(),
    strategy: text().notNull(),
    exchange: text().notNull(),
    symbol: text().notNull(),
    product: text().notNull(),
    /** Signed: negative is short. */
    quantity: real().notNull(),
    cost: text().notNull(),
    realized: text().notNull(),
    todayRealized: text('today_realized').notNull(),
    /** The session of the last fill; `todayRealized` belongs to it. */
    session: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.strategy, table.exchange, table.symbol, table.product] }),
    // A close counts for every strategy in its contract.
    index('strategy_legs_contract').on(table.userId, table.exchange, table.symbol, table.product),
  ],
)

/** One row: the last fill that the totals include. Its id is the number of the rules that they follow. */
export const strategyCursor = sqliteTable('strategy_cursor', {
  id: integer().primaryKey(),
  lastFill: integer('last_fill').notNull(),
})
