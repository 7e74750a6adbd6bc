import type { Database } from '../storage/index.js'
import { masterContractStatus } from '../storage/tables/svc/instruments.js'
import type { Instrument } from './schema.js'
import { isExchange } from './table/row-check.js'

/** The master in the instrument table, and the outcome of the last attempt to replace it. */
export interface MasterRecord {
  brokerId: string
  source: MasterSource
  count: number
  /** Epoch milliseconds. */
  loadedAt: number
  /** The IST date the master is for. */
  generatedFor: string
  durationMs: number
  /** CRC-32 of the packed rows. It shows whether the snapshot file matches the table. */
  checksum: number
  lastError: string | null
  failedAt: number | null
}

/**
 * The source of the rows: the broker's download, the simulated broker's generator, or a dump the user
 * imported.
 */
export type MasterSource = 'broker' | 'generated' | 'file'

/** Rows per JSON text read from SQLite. */
const CHUNK = 5000
/**
 * Rows per transaction of a replacement. Orders share the one writer, so each transaction is short and orders
 * run between two of them.
 */
const SLICE = 1000
const THE_ROW = 1

/**
 * The rows of the current master. A replacement writes the new master beside it, and rows of an unfinished
 * one may stay until the next start.
 */
export const CURRENT_ROWS = `(select i.* from master_contract_status s
  join instruments i on i.id >= s.first_id and i.id < s.first_id + s.count)`

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

// jsonb_each returns each row already parsed: more than twice as fast as json_each for rows of this width.
const INSERT = `insert into instruments (${INSTRUMENT_COLUMNS.join(', ')})
  select ${INSTRUMENT_COLUMNS.map((_, index) => `value ->> ${index}`).join(', ')} from jsonb_each(?)`
const SELECT = `select json_group_array(json_array(${INSTRUMENT_COLUMNS.join(', ')})) as chunk
  from (select i.* from master_contract_status s
    join instruments i on i.id >= s.first_id + ? and i.id < s.first_id + min(?, s.count) order by i.id)`
/** Deletes rows that are not of the current master, from the lowest id on. */
const DELETE_OTHERS = `delete from instruments where id in (
  select id from instruments where id < coalesce((select first_id from master_contract_status), ${Number.MAX_SAFE_INTEGER})
  union all
  select id from instruments where id >= (select first_id + count from master_contract_status)
  limit ${SLICE})`

/** All SQL of the instrument master. */
export class InstrumentStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async record(): Promise<MasterRecord | undefined> {
    const [row] = await this.#db.read.select().from(masterContractStatus)
    if (!row) return undefined
    const { id: _, firstId: _firstId, broker: brokerId, ...rest } = row
    return { ...rest, brokerId }
  }

  /** Reads every row in the master's order. Used at start when the snapshot file is missing or stale. */
  async rows(count: number): Promise<Instrument[]> {
    const all: Instrument[] = []
    for (let after = 0; after < count; after += CHUNK) {
      const [row] = await this.#db.queryRaw(SELECT, [after, after + CHUNK])
      const chunk: unknown = JSON.parse(String(row?.chunk))
      if (Array.isArray(chunk)) for (const cells of chunk) all.push(instrumentOf(cells))
    }
    return all
  }

  /**
   * Replaces the master. It writes the new rows beside the current ones in short transactions, makes them the
   * current ones in one more, and then deletes the old ones. A failure before that leaves the current master.
   * @param goOn throws to give up between two transactions
   */
  async replaceAll(rows: readonly Instrument[], record: MasterRecord, goOn: () => void): Promise<void> {
    const [row] = await this.#db.queryRaw('select coalesce(max(id), 0) + 1 as first from instruments')
    const firstId = Number(row?.first)
    for (let from = 0; from < rows.length; from += SLICE) {
      goOn()
      const slice = jsonOf(rows.slice(from, from + SLICE), firstId + from)
      await this.#db.write((tx) => tx.exec(INSERT, [slice]))
    }
    const { brokerId: broker, ...rest } = record
    const values = { ...rest, broker, firstId }
    await this.#db.write((tx) =>
      tx
        .insert(masterContractStatus)
        .values({ id: THE_ROW, ...values })
        .onConflictDoUpdate({ target: masterContractStatus.id, set: values }),
    )
  }

  /** Deletes the rows of masters that were replaced, or whose replacement failed, in short transactions. */
  async deleteOthers(): Promise<void> {
    for (let changes = SLICE; changes === SLICE; ) {
      changes = (await this.#db.write((tx) => tx.exec(DELETE_OTHERS))).changes
    }
  }

  /** Records why the last replacement failed; the rows stay. */
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
}

/** Converts a table row. The column types guarantee every cell except the exchange, which is checked. */
export function instrumentOf(cells: readonly unknown[]): Instrument {
  const exchange = String(cells[4])
  if (!isExchange(exchange)) throw new Error(`the instrument table has the unknown exchange "${exchange}"`)
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

function jsonOf(rows: readonly Instrument[], firstId: number): string {
  return JSON.stringify(
    rows.map((row, index) => [
      firstId + index,
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
