import { integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/**
 * The instrument master of the active broker; a download replaces it completely. The columns have the names
 * of the public API. The rows of one master have consecutive ids in the master's order. The status row below
 * says which ids those are. Rows with other ids are left over from a replacement, and nothing reads them.
 */
export const instruments = sqliteTable('instruments', {
  id: integer().primaryKey(),
  symbol: text().notNull(),
  brsymbol: text().notNull(),
  name: text().notNull(),
  exchange: text().notNull(),
  brexchange: text().notNull(),
  token: text().notNull(),
  /** `DD-MON-YY`; empty for an instrument without expiry. */
  expiry: text().notNull(),
  strike: real().notNull(),
  lotsize: real().notNull(),
  instrumenttype: text().notNull(),
  tickSize: real('tick_size').notNull(),
  contractValue: real('contract_value'),
})

/** The largest order the exchange accepts for contracts on one underlying (freeze quantity). */
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

/** One row: the source of the current master, and the result of the last attempt to replace it. */
export const masterContractStatus = sqliteTable('master_contract_status', {
  id: integer().primaryKey(),
  broker: text().notNull(),
  /** `broker`: downloaded; `generated`: simulated; `file`: an imported dump. */
  source: text({ enum: ['broker', 'generated', 'file'] }).notNull(),
  /** The id of the master's first row. */
  firstId: integer('first_id').notNull().default(1),
  /** Rows of the master. */
  count: integer().notNull(),
  loadedAt: integer('loaded_at').notNull(),
  /** The IST date (`YYYY-MM-DD`) the master is for. */
  generatedFor: text('generated_for').notNull(),
  durationMs: integer('duration_ms').notNull(),
  /** CRC-32 of the packed rows. */
  checksum: integer().notNull(),
  /** The error of the last attempt if it failed; the rows are then those of the attempt before. */
  lastError: text('last_error'),
  failedAt: integer('failed_at'),
})
