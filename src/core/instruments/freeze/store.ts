import { asc, eq } from 'drizzle-orm'
import { crashPoint } from '../../errors/index.js'
import { allBut, type Database, insertInto } from '../../storage/index.js'
import { qtyFreeze } from '../../storage/tables/svc/instruments.js'
import type { FreezeEntry, FreezeQuantity } from './schema.js'

const INSERT = insertInto(qtyFreeze, allBut(qtyFreeze, 'id'), { key: ['exchange', 'symbol'] })
/** Deletes the entries of an exchange that the rows do not have. */
const DELETE_OTHERS = `delete from qty_freeze
  where exchange = ? and symbol not in (select value from json_each(?))`

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
    await this.#db.batch(INSERT.rows(rows.map(asStored)))
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
    const symbols = JSON.stringify(rows.map(({ symbol }) => symbol))
    await this.#db.write(async (tx) => {
      await tx.exec(DELETE_OTHERS, [exchange, symbols])
      crashPoint('freeze.replace.midTransaction')
      await tx.batch(INSERT.rows(rows.map(asStored)))
    })
    crashPoint('freeze.replace.afterCommit')
  }
}

function asStored({ exchange, symbol, freezeQuantity }: FreezeQuantity) {
  return { exchange, symbol, freezeQty: freezeQuantity }
}
