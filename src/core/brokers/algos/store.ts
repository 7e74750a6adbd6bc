import { and, asc, eq } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { brokerAlgos } from '../../storage/tables/svc/brokers.js'

/** The algorithm of a strategy at a broker. */
export type AlgoRow = typeof brokerAlgos.$inferSelect

/** All SQL of the algorithms of strategies. */
export class AlgoStore {
  constructor(private readonly db: Database) {}

  /** Returns every row, by broker and strategy. */
  all(): Promise<AlgoRow[]> {
    return this.db.read.select().from(brokerAlgos).orderBy(asc(brokerAlgos.broker), asc(brokerAlgos.strategy))
  }

  async save(row: AlgoRow): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .insert(brokerAlgos)
        .values(row)
        .onConflictDoUpdate({ target: [brokerAlgos.broker, brokerAlgos.strategy], set: row })
    })
  }

  async remove({ broker, strategy }: Pick<AlgoRow, 'broker' | 'strategy'>): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .delete(brokerAlgos)
        .where(and(eq(brokerAlgos.broker, broker), eq(brokerAlgos.strategy, strategy)))
    })
  }
}
