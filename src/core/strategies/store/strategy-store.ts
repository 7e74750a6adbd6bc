import { and, count, desc, eq, exists, gte, inArray, isNotNull, isNull, notInArray, sql } from 'drizzle-orm'
import type { Database, Tx } from '../../storage/index.js'
import {
  strategies,
  strategyCheckpoints,
  strategyEvents,
  strategyOrders,
  strategyRuns,
  strategyVersions,
  strategyWebhookClaims,
  strategyWebhookEvents,
} from '../../storage/tables/svc/strategies.js'
import type { RunMode } from '../config/vocabulary.js'

export type StrategyRow = typeof strategies.$inferSelect
export type NewStrategyRow = typeof strategies.$inferInsert

/** The last finished run of a strategy. */
export interface FinalizedRun {
  id: number
  strategyId: number
  mode: RunMode
  pnlRealized: number
  pnlPeak: number
  stoppedAt: number
}

/** One look-up of an index for each strategy of the user. */
const LAST_FINALIZED = `select r.id as id, r.strategy_id as strategy_id, r.mode as mode,
    r.pnl_realized as pnl_realized, r.pnl_peak as pnl_peak, r.stopped_at as stopped_at
  from strategies s join strategy_runs r on r.id = (
    select id from strategy_runs where strategy_id = s.id and stopped_at is not null
    order by stopped_at desc, id desc limit 1)
  where s.user_id = ?`

/** Every unlocking records its event, so a locked strategy without a newer event of its lock was interrupted. */
const UNRECORDED_LOCKS = `select s.id as id from strategies s
  where s.webhook_locked = 1 and not exists (
    select 1 from strategy_events e where e.strategy_id = s.id and e.kind = 'webhook_locked' and e.id > coalesce(
      (select max(id) from strategy_events where strategy_id = s.id and kind = 'webhook_unlocked'), 0))
  order by s.id`

/** The SQL of strategies. A strategy of another user is not found. */
export class StrategyStore {
  constructor(private readonly db: Database) {}

  /** Runs several changes that succeed or fail together. */
  write<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.db.write(fn)
  }

  /** Returns the strategies of a user, newest first. */
  list(userId: string): Promise<StrategyRow[]> {
    return this.db.read
      .select()
      .from(strategies)
      .where(eq(strategies.userId, userId))
      .orderBy(desc(strategies.id))
  }

  async find(userId: string, id: number): Promise<StrategyRow | undefined> {
    const [row] = await this.db.read
      .select()
      .from(strategies)
      .where(and(eq(strategies.userId, userId), eq(strategies.id, id)))
    return row
  }

  async byTokenHash(hash: string): Promise<StrategyRow | undefined> {
    const [row] = await this.db.read.select().from(strategies).where(eq(strategies.webhookTokenHash, hash))
    return row
  }

  /** Returns the strategies of all users that are locked, but whose lock has no event yet. */
  async unrecordedLocks(): Promise<StrategyRow[]> {
    const ids = (await this.db.queryRaw(UNRECORDED_LOCKS)).map(({ id }) => Number(id))
    if (ids.length === 0) return []
    return this.db.read.select().from(strategies).where(inArray(strategies.id, ids)).orderBy(strategies.id)
  }

  async lastFinalized(userId: string): Promise<Map<number, FinalizedRun>> {
    const rows = await this.db.queryRaw(LAST_FINALIZED, [userId])
    return new Map(
      rows.map((row) => [
        Number(row.strategy_id),
        {
          id: Number(row.id),
          strategyId: Number(row.strategy_id),
          mode: row.mode === 'live' ? ('live' as const) : ('sandbox' as const),
          pnlRealized: Number(row.pnl_realized),
          pnlPeak: Number(row.pnl_peak),
          stoppedAt: Number(row.stopped_at),
        },
      ]),
    )
  }

  async listIn(tx: Tx, userId: string): Promise<StrategyRow[]> {
    return tx.select().from(strategies).where(eq(strategies.userId, userId)).orderBy(desc(strategies.id))
  }

  /** Returns how many strategies a user has. */
  async countIn(tx: Tx, userId: string): Promise<number> {
    const [row] = await tx.select({ n: count() }).from(strategies).where(eq(strategies.userId, userId))
    return row?.n ?? 0
  }

  /** Returns the id of the strategy with this name; undefined if the name is free. */
  async idOfNameIn(tx: Tx, userId: string, name: string): Promise<number | undefined> {
    const { id, name: column, userId: owner } = strategies
    const [row] = await tx
      .select({ id })
      .from(strategies)
      .where(and(eq(owner, userId), eq(column, name)))
    return row?.id
  }

  async findIn(tx: Tx, userId: string, id: number): Promise<StrategyRow | undefined> {
    const [row] = await tx
      .select()
      .from(strategies)
      .where(and(eq(strategies.userId, userId), eq(strategies.id, id)))
    return row
  }

  /** Returns whether a run that is over squares off a late fill. Nobody manages a reserved one. */
  async isReopenedIn(tx: Tx, id: number): Promise<boolean> {
    const { id: runId, reopenedAt, reservedAt, strategyId } = strategyRuns
    const [row] = await tx
      .select({ runId })
      .from(strategyRuns)
      .where(and(isNotNull(reopenedAt), isNull(reservedAt), eq(strategyId, id)))
      .limit(1)
    return row !== undefined
  }

  async insertIn(tx: Tx, row: NewStrategyRow): Promise<StrategyRow> {
    const [inserted] = await tx.insert(strategies).values(row).returning()
    if (!inserted) throw new Error('the strategy was not stored')
    return inserted
  }

  async updateIn(tx: Tx, id: number, changes: Partial<NewStrategyRow>): Promise<StrategyRow> {
    const [row] = await tx.update(strategies).set(changes).where(eq(strategies.id, id)).returning()
    if (!row) throw new Error(`strategy ${id} is gone`)
    return row
  }

  /**
   * Notes the owner of a strategy in those of its live runs that ended since an instant and may still get a fill, because its
   * row is about to be removed. Returns their ids.
   */
  async noteOwnerIn(
    tx: Tx,
    { id, userId }: Pick<StrategyRow, 'id' | 'userId'>,
    since: number,
  ): Promise<number[]> {
    const { definition, mode, reservedAt, stoppedAt, strategyId } = strategyRuns
    const ofRun = eq(strategyOrders.runId, strategyRuns.id)
    const rows = await tx
      .update(strategyRuns)
      .set({ definition: sql`json_set(${definition}, '$.ownerId', ${userId})` })
      .where(
        and(
          ...[eq(strategyId, id), eq(mode, 'live'), gte(stoppedAt, since), isNull(reservedAt)],
          exists(tx.select({ id: strategyOrders.id }).from(strategyOrders).where(ofRun)),
          // Nobody can take a run up whose definition cannot be read.
          sql`json_valid(${definition})`,
        ),
      )
      .returning({ runId: strategyRuns.id })
    return rows.map(({ runId }) => runId)
  }

  /** Removes a strategy with every row that belongs to it, except those runs and their orders. */
  async removeIn(tx: Tx, id: number, kept: readonly number[] = []): Promise<void> {
    const runIds = [...kept]
    await tx.delete(strategyCheckpoints).where(eq(strategyCheckpoints.strategyId, id))
    await tx
      .delete(strategyOrders)
      .where(and(eq(strategyOrders.strategyId, id), notInArray(strategyOrders.runId, runIds)))
    await tx.delete(strategyEvents).where(eq(strategyEvents.strategyId, id))
    await tx.delete(strategyVersions).where(eq(strategyVersions.strategyId, id))
    await tx.delete(strategyWebhookEvents).where(eq(strategyWebhookEvents.strategyId, id))
    await tx.delete(strategyWebhookClaims).where(eq(strategyWebhookClaims.strategyId, id))
    await tx
      .delete(strategyRuns)
      .where(and(eq(strategyRuns.strategyId, id), notInArray(strategyRuns.id, runIds)))
    await tx.delete(strategies).where(eq(strategies.id, id))
  }
}
