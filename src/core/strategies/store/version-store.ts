import { and, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm'
import type { Database, Db, Tx } from '../../storage/index.js'
import { strategies, strategyVersions } from '../../storage/tables/svc/strategies.js'

export type VersionRow = typeof strategyVersions.$inferSelect
/** A version without its configuration. */
export type ListedVersion = Omit<VersionRow, 'config'>
/** The versions that a list is limited to; `before` is the last version of the page before. */
export interface VersionQuery {
  before?: number | undefined
  limit: number
}

const { config: _config, ...LISTED } = getTableColumns(strategyVersions)

/** The SQL of the versions of strategies. Each query finds its rows by the primary key, however many there are. */
export class StrategyVersionStore {
  constructor(private readonly db: Database) {}

  /** Adds a version in the transaction of the change that makes it. */
  async insertIn(tx: Tx, row: VersionRow): Promise<void> {
    await tx.insert(strategyVersions).values(row)
  }

  /** Returns the current versions of strategies. `from` is the transaction of a change, or the database. */
  async currentOf(ids: readonly number[], from: Db = this.db.read): Promise<Map<number, ListedVersion>> {
    const { strategyId, version } = strategyVersions
    const newest = sql`(select max(v.version) from strategy_versions v where v.strategy_id = ${strategies.id})`
    const rows = await from
      .select(LISTED)
      .from(strategies)
      .innerJoin(strategyVersions, and(eq(strategyId, strategies.id), eq(version, newest)))
      .where(inArray(strategies.id, [...ids]))
    return new Map(rows.map((row) => [row.strategyId, row]))
  }

  /** Returns the versions of a strategy, newest first. */
  list(id: number, { before, limit }: VersionQuery): Promise<ListedVersion[]> {
    const { strategyId, version } = strategyVersions
    return this.db.read
      .select(LISTED)
      .from(strategyVersions)
      .where(and(eq(strategyId, id), before === undefined ? undefined : lt(version, before)))
      .orderBy(desc(version))
      .limit(limit)
  }

  async find(id: number, number: number, from: Db = this.db.read): Promise<VersionRow | undefined> {
    const { strategyId, version } = strategyVersions
    const [row] = await from
      .select()
      .from(strategyVersions)
      .where(and(eq(strategyId, id), eq(version, number)))
    return row
  }
}
