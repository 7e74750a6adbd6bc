import { asc, eq } from 'drizzle-orm'
import { crashPoint } from '../../errors/index.js'
import { BatchStatement, type Database } from '../../storage/index.js'
import { qtyFreeze } from '../../storage/tables/svc/instruments.js'
import type { FreezeEntry, FreezeQuantity } from './schema.js'

const INSERT = new BatchStatement({
  table: 'qty_freeze',
  columns: ['exchange', 'symbol', 'freeze_qty'],
  onConflict: 'on conflict (exchange, symbol) do update set freeze_qty = excluded.freeze_qty',
})
/** Deletes the entries of an exchange that the rows do not have. */
const DELETE_OTHERS = `delete from qty_freeze
  where exchange = ? and symbol not in (select value ->> 1 from json_each(?))`

const COLUMNS = {
  id: qtyFreeze.id,
  exchange: qtyFreeze.exchange,
  symbol: qtyFreeze.symbol,
  freezeQuantity: qtyFreeze.freezeQty,
}

/** All SQL of the freeze quantities. */
export class FreezeStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns all entries, by symbol. */
  entries(): Promise<FreezeEntry[]> {
    return this.#db.read.select(COLUMNS).from(qtyFreeze).orderBy(asc(qtyFreeze.symbol), asc(qtyFreeze.id))
  }

  /** Stores quantities; those of a known exchange and symbol replace the stored ones. */
  async put(rows: readonly FreezeQuantity[]): Promise<void> {
    await this.#db.batch(INSERT, rows.map(cellsOf))
  }

  update(id: number, freezeQuantity: number): Promise<void> {
    return this.#db.write(async (tx) => {
      await tx.update(qtyFreeze).set({ freezeQty: freezeQuantity }).where(eq(qtyFreeze.id, id))
    })
  }

  remove(id: number): Promise<void> {
    return this.#db.write(async (tx) => {
      await tx.delete(qtyFreeze).where(eq(qtyFreeze.id, id))
    })
  }

  /**
   * Stores `rows` and removes the exchange's other entries, in one transaction of two statements: orders wait
   * for the same writer.
   */
  async replace(exchange: string, rows: readonly FreezeQuantity[]): Promise<void> {
    const cells = BatchStatement.parameter(rows.map(cellsOf))
    await this.#db.write(async (tx) => {
      await tx.exec(DELETE_OTHERS, [exchange, cells])
      crashPoint('freeze.replace.midTransaction')
      await tx.exec(INSERT.sql, [cells])
    })
    crashPoint('freeze.replace.afterCommit')
  }
}

const cellsOf = ({ exchange, symbol, freezeQuantity }: FreezeQuantity) => [exchange, symbol, freezeQuantity]
