import { BatchStatement, type Database } from '../storage/index.js'
import { instruments, masterContractStatus, qtyFreeze } from '../storage/tables/svc/instruments.js'
import type { FreezeQuantity, Instrument } from './schema.js'
import { isExchange } from './table/row-check.js'

/** What the instrument table holds, and how the last attempt to replace it ended. */
export interface MasterRecord {
  brokerId: string
  source: MasterSource
  count: number
  /** Epoch milliseconds. */
  loadedAt: number
  /** The IST date the rows were made for. */
  generatedFor: string
  durationMs: number
  /** CRC-32 of the packed rows: tells whether the file beside the database belongs to them. */
  checksum: number
  lastError: string | null
  failedAt: number | null
}

/** A broker's own download, the simulated broker's generator, or a dump a user brought. */
export type MasterSource = 'broker' | 'generated' | 'file'

/** Rows that travel to SQLite, or back, as one JSON text. */
const CHUNK = 5000
const THE_ROW = 1

/** Columns of the table, in the order {@link instrumentOf} reads them. */
export const INSTRUMENT_COLUMNS = [
  'id',
  'symbol',
  'brsymbol',
  'name',
  'exchange',
  'brexchange',
  'token',
  'expiry',
  'strike',
  'lotsize',
  'instrumenttype',
  'tick_size',
  'contract_value',
] as const

// jsonb_each hands each row on already parsed: more than twice as fast as json_each for rows of this width.
const INSERT = `insert into instruments (${INSTRUMENT_COLUMNS.join(', ')})
  select ${INSTRUMENT_COLUMNS.map((_, index) => `value ->> ${index}`).join(', ')} from jsonb_each(?)`
const SELECT = `select json_group_array(json_array(${INSTRUMENT_COLUMNS.join(', ')})) as chunk
  from (select * from instruments where id > ? and id <= ? order by id)`

const SEED_FREEZE = new BatchStatement({
  table: 'qty_freeze',
  columns: ['exchange', 'symbol', 'freeze_qty'],
  onConflict: 'on conflict (exchange, symbol) do nothing',
})

/** All SQL of the instrument master. */
export class InstrumentStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async record(): Promise<MasterRecord | undefined> {
    const [row] = await this.#db.read.select().from(masterContractStatus)
    if (!row) return undefined
    const { id: _, broker: brokerId, ...rest } = row
    return { ...rest, brokerId }
  }

  /** Every row in the master's order. The way to start when the packed file is missing or stale. */
  async rows(count: number): Promise<Instrument[]> {
    const all: Instrument[] = []
    for (let after = 0; after < count; after += CHUNK) {
      const [row] = await this.#db.queryRaw(SELECT, [after, after + CHUNK])
      const chunk: unknown = JSON.parse(String(row?.chunk))
      if (Array.isArray(chunk)) for (const cells of chunk) all.push(instrumentOf(cells))
    }
    return all
  }

  /** Puts these rows in the place of all others, with their record: both or neither. */
  async replaceAll(rows: readonly Instrument[], record: MasterRecord): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx.delete(instruments)
      for (let from = 0; from < rows.length; from += CHUNK) {
        await tx.exec(INSERT, [jsonOf(rows.slice(from, from + CHUNK), from)])
      }
      const { brokerId: broker, ...rest } = record
      const values = { ...rest, broker }
      await tx
        .insert(masterContractStatus)
        .values({ id: THE_ROW, ...values })
        .onConflictDoUpdate({ target: masterContractStatus.id, set: values })
    })
  }

  /** Notes why the master could not be replaced; what it holds stays. */
  async recordFailure(message: string, at: number): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx.update(masterContractStatus).set({ lastError: message, failedAt: at })
    })
  }

  async recordChecksum(checksum: number): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx.update(masterContractStatus).set({ checksum })
    })
  }

  async freezeQuantities(): Promise<FreezeQuantity[]> {
    return this.#db.read
      .select({ exchange: qtyFreeze.exchange, symbol: qtyFreeze.symbol, freezeQuantity: qtyFreeze.freezeQty })
      .from(qtyFreeze)
  }

  /** Adds what is not there yet. */
  async seedFreezeQuantities(rows: readonly FreezeQuantity[]): Promise<void> {
    await this.#db.batch(
      SEED_FREEZE,
      rows.map((row) => [row.exchange, row.symbol, row.freezeQuantity]),
    )
  }
}

/** The table's own types hold for every cell; only the exchange is a narrower one. */
export function instrumentOf(cells: readonly unknown[]): Instrument {
  const exchange = String(cells[4])
  if (!isExchange(exchange)) throw new Error(`the instrument table holds the unknown exchange "${exchange}"`)
  return {
    symbol: String(cells[1]),
    brokerSymbol: String(cells[2]),
    name: String(cells[3]),
    exchange,
    brokerExchange: String(cells[5]),
    token: String(cells[6]),
    expiry: String(cells[7]),
    strike: Number(cells[8]),
    lotSize: Number(cells[9]),
    instrumentType: String(cells[10]),
    tickSize: Number(cells[11]),
    contractValue: cells[12] === null ? undefined : Number(cells[12]),
  }
}

function jsonOf(rows: readonly Instrument[], from: number): string {
  return JSON.stringify(
    rows.map((row, index) => [
      from + index + 1,
      row.symbol,
      row.brokerSymbol,
      row.name,
      row.exchange,
      row.brokerExchange,
      row.token,
      row.expiry,
      row.strike,
      row.lotSize,
      row.instrumentType,
      row.tickSize,
      row.contractValue ?? null,
    ]),
  )
}
