import { join } from 'node:path'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { loadStorage } from '../compiled.js'
import { type Benchmark, median, timed } from '../run.js'

const CALLERS = 64
const ENTRIES = sqliteTable('entries', { id: integer().primaryKey(), body: text().notNull() })
const TABLE = 'create table entries (id integer primary key, body text not null)'
const BODY = JSON.stringify({ strategy: 'benchmark', symbol: 'SBIN', exchange: 'NSE', quantity: 10 }).padEnd(
  200,
)

/** Many small durable writes with group commit, compared with the same writes one after the other. */
export const storage: Benchmark = {
  name: 'storage',
  summary: 'write queue: durable writes of 64 callers, against one caller alone',
  async run(run) {
    const { Database, insertInto } = await loadStorage()
    const database = await Database.open({ file: join(run.folder(), 'queue.db'), schema: undefined })
    await database.write((tx) => tx.exec(TABLE))
    const insert = insertInto(ENTRIES, ['id', 'body'])
    let id = 0
    const asRow = () => database.batch(insert.rows([{ id: ++id, body: BODY }]))
    const asTransaction = () =>
      database.write((tx) => tx.exec('insert into entries (id, body) values (?, ?)', [++id, BODY]))
    const perSecond = async (write: () => Promise<unknown>, callers: number, each: number) => {
      const caller = async () => {
        for (let i = 0; i < each; i++) await write()
      }
      const ms = await timed(() => Promise.all(Array.from({ length: callers }, caller)))
      return (callers * each * 1000) / ms
    }

    const each = run.pick(150, 40, 10)
    const measured = { alone: [] as number[], rows: [] as number[], transactions: [] as number[] }
    for (let round = 0; round < 6; round++) {
      measured.alone.push(await perSecond(asTransaction, 1, each * 4))
      measured.rows.push(await perSecond(asRow, CALLERS, each))
      measured.transactions.push(await perSecond(asTransaction, CALLERS, each))
    }
    await database.close()
    // The first round warms up.
    const floor = median(measured.alone.slice(1))
    const row = (name: string, values: number[]) => ({
      name,
      value: median(values.slice(1)),
      floor,
      unit: 'writes/s',
    })
    return [
      row(`write queue, rows of ${CALLERS} callers`, measured.rows),
      row(`write queue, transactions of ${CALLERS} callers`, measured.transactions),
    ]
  },
}
