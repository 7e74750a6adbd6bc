import { and, desc, eq } from 'drizzle-orm'
import type { Database, Tx } from '../../storage/index.js'
import {
  strategies,
  strategyCheckpoints,
  strategyEvents,
  strategyOrders,
  strategyRuns,
  strategyWebhookEvents,
} from '../../storage/tables/svc/strategies.js'
import { strategyWebhookClaims } from '../../storage/tables/svc/strategy-webhook.js'

export type StrategyRow = typeof strategies.$inferSelect
export type NewStrategyRow = typeof strategies.$inferInsert

/** The last finished run of a strategy. */
export interface FinalizedRun {
  id: number
  strategyId: number
  pnlRealized: number
  stoppedAt: number
}

/** One look-up of an index for each strategy of the user. */
const LAST_FINALIZED = `select r.id as id, r.strategy_id as strategy_id, r.pnl_realized as pnl_realized,
    r.stopped_at as stopped_at
  from strategies s join strategy_runs r on r.id = (
    select id from strategy_runs where strategy_id = s.id and stopped_at is not null
    order by stopped_at desc, id desc limit 1)
  where s.user_id = ?`

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

  async lastFinalized(userId: string): Promise<Map<number, FinalizedRun>> {
    const rows = await this.db.queryRaw(LAST_FINALIZED, [userId])
    return new Map(
      rows.map((row) => [
        Number(row.strategy_id),
        {
          id: Number(row.id),
          strategyId: Number(row.strategy_id),
          pnlRealized: Number(row.pnl_realized),
          stoppedAt: Number(row.stopped_at),
        },
      ]),
    )
  }

  async listIn(tx: Tx, userId: string): Promise<StrategyRow[]> {
    return tx.select().from(strategies).where(eq(strategies.userId, userId)).orderBy(desc(strategies.id))
  }

  async findIn(tx: Tx, userId: string, id: number): Promise<StrategyRow | undefined> {
    const [row] = await tx
      .select()
      .from(strategies)
      .where(and(eq(strategies.userId, userId), eq(strategies.id, id)))
    return row
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

  /** Removes a strategy with every row that belongs to it. */
  async removeIn(tx: Tx, id: number): Promise<void> {
    await tx.delete(strategyCheckpoints).where(eq(strategyCheckpoints.strategyId, id))
    await tx.delete(strategyOrders).where(eq(strategyOrders.strategyId, id))
    await tx.delete(strategyEvents).where(eq(strategyEvents.strategyId, id))
    await tx.delete(strategyWebhookEvents).where(eq(strategyWebhookEvents.strategyId, id))
    await tx.delete(strategyWebhookClaims).where(eq(strategyWebhookClaims.strategyId, id))
    await tx.delete(strategyRuns).where(eq(strategyRuns.strategyId, id))
    await tx.delete(strategies).where(eq(strategies.id, id))
  }
}
