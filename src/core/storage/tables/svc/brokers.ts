import { integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Broker accounts this installation has signed in to. One of them is active. */
export const brokerAccounts = sqliteTable('broker_accounts', {
  broker: text().primaryKey(),
  active: integer({ mode: 'boolean' }).notNull().default(false),
  /** The session as JSON, encrypted; null when signed out. */
  session: text(),
  expiresAt: integer('expires_at'),
  updatedAt: integer('updated_at').notNull(),
})

/** The last comparison of a broker account with the journal. An account is empty text where the broker names none. */
export const brokerComparisons = sqliteTable(
  'broker_comparisons',
  {
    broker: text().notNull(),
    account: text().notNull(),
    /** The trading day of the comparison. */
    session: text().notNull(),
    at: integer().notNull(),
    /** The fills that the journal recorded before this instant are in the positions' `ours`. */
    through: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.broker, table.account] })],
)

/**
 * What an account holds beside the journal, by contract. Without a row nothing is. Delivered shares have no exchange: they can
 * be sold at each.
 */
export const brokerExternals = sqliteTable(
  'broker_externals',
  {
    broker: text().notNull(),
    account: text().notNull(),
    exchange: text().notNull(),
    symbol: text().notNull(),
    product: text().notNull(),
    /** The signed quantity of all fills of the journal since the first comparison. */
    ours: real().notNull(),
    /** The signed quantity that the journal does not explain, at the last comparison and when the trading day began. */
    external: real().notNull(),
    before: real().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.broker, table.account, table.exchange, table.symbol, table.product] }),
  ],
)

/** Orders of the trading day in an account's book that are not ours. */
export const brokerForeignOrders = sqliteTable(
  'broker_foreign_orders',
  {
    broker: text().notNull(),
    account: text().notNull(),
    orderId: text('order_id').notNull(),
    seenAt: integer('seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.broker, table.account, table.orderId] })],
)

/** The algorithm that the live orders of a strategy are sent under, at each broker. */
export const brokerAlgos = sqliteTable(
  'broker_algos',
  {
    broker: text().notNull(),
    strategy: text().notNull(),
    algoId: text('algo_id').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.broker, table.strategy] })],
)
