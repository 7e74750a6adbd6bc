import { integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * The instrument master of the active broker, replaced as a whole. The columns keep the names the public
 * interface uses for them. `id` is the row's place in the master, from 1 without gaps.
 */
export const instruments = sqliteTable('instruments', {
  id: integer().primaryKey(),
  symbol: text().notNull(),
  brsymbol: text().notNull(),
  name: text().notNull(),
  exchange: text().notNull(),
  brexchange: text().notNull(),
  token: text().notNull(),
  /** `DD-MON-YY`, empty where nothing expires. */
  expiry: text().notNull(),
  strike: real().notNull(),
  lotsize: real().notNull(),
  instrumenttype: text().notNull(),
  tickSize: real('tick_size').notNull(),
  contractValue: real('contract_value'),
})

/** Largest order of the exchange for contracts on one underlying. */
export const qtyFreeze = sqliteTable(
  'qty_freeze',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    exchange: text().notNull(),
    /** Underlying root. */
    symbol: text().notNull(),
    freezeQty: integer('freeze_qty').notNull(),
  },
  (table) => [uniqueIndex('qty_freeze_exchange_symbol').on(table.exchange, table.symbol)],
)

/** One row: which master the table holds, and how the last attempt to replace it ended. */
export const masterContractStatus = sqliteTable('master_contract_status', {
  id: integer().primaryKey(),
  broker: text().notNull(),
  /** `broker` for a download, `generated`, `file` for an imported dump. */
  source: text({ enum: ['broker', 'generated', 'file'] }).notNull(),
  /** Rows in the table. */
  count: integer().notNull(),
  loadedAt: integer('loaded_at').notNull(),
  /** The IST date (`YYYY-MM-DD`) the rows were made for. */
  generatedFor: text('generated_for').notNull(),
  durationMs: integer('duration_ms').notNull(),
  /** CRC-32 of the packed rows. */
  checksum: integer().notNull(),
  /** What stopped the last attempt, when it failed; the rows are then those of the one before. */
  lastError: text('last_error'),
  failedAt: integer('failed_at'),
})
