import { and, desc, eq, isNotNull, isNull, not, sql } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import {
  strategies,
  strategyCheckpoints,
  strategyOrders,
  strategyRuns,
} from '../../storage/tables/svc/strategies.js'
import { ENDED_UNSENT } from './unsent-run.js'

export type StrategyRunRow = typeof strategyRuns.$inferSelect
export type StrategyOrderRow = typeof strategyOrders.$inferSelect
export type CheckpointRow = typeof strategyCheckpoints.$inferSelect

/** Most orders or checkpoints that one list returns: the newest. */
export const MAX_ROWS = 5000

/** The queries of runs, their orders and their checkpoints. */
export class StrategyHistory {
  constructor(private readonly db: Database) {}

  /** Returns the newest runs of a strategy, newest first. */
  runs(strategyId: number, limit: number): Promise<StrategyRunRow[]> {
    return this.db.read
      .select()
      .from(strategyRuns)
      .where(eq(strategyRuns.strategyId, strategyId))
      .orderBy(desc(strategyRuns.id))
      .limit(limit)
  }

  async run(id: number): Promise<StrategyRunRow | undefined> {
    const [row] = await this.db.read.select().from(strategyRuns).where(eq(strategyRuns.id, id))
    return row
  }

  /** Returns the runs that a call of a webhook started. */
  runsOfSignal(eventId: number): Promise<StrategyRunRow[]> {
    return this.db.read
      .select()
      .from(strategyRuns)
      .where(eq(strategyRuns.webhookEventId, eventId))
      .orderBy(strategyRuns.id)
      .limit(MAX_ROWS)
  }

  /** Returns the order of a run by our reference, or by the approval that waits with it. */
  async order(by: { orderRef: string } | { approvalId: number }): Promise<StrategyOrderRow | undefined> {
    const { orderRef, pendingOrderId } = strategyOrders
    const [row] = await this.db.read
      .select()
      .from(strategyOrders)
      .where('orderRef' in by ? eq(orderRef, by.orderRef) : eq(pendingOrderId, by.approvalId))
    return row
  }

  /** Returns the unfinished runs of a user's strategies. */
  async unfinished(userId: string): Promise<StrategyRunRow[]> {
    const rows = await this.db.read
      .select({ run: strategyRuns })
      .from(strategies)
      .innerJoin(
        strategyRuns,
        and(eq(strategyRuns.strategyId, strategies.id), isNull(strategyRuns.stoppedAt)),
      )
      .where(eq(strategies.userId, userId))
    return rows.map(({ run }) => run)
  }

  /** Returns whether a strategy has an unfinished run. */
  async isRunning(strategyId: number): Promise<boolean> {
    const { id, stoppedAt, strategyId: owner } = strategyRuns
    const rows = await this.db.read
      .select({ id })
      .from(strategyRuns)
      .where(and(eq(owner, strategyId), isNull(stoppedAt)))
    return rows.length > 0
  }

  /**
   * Returns when the last run of a strategy ended; undefined before the first end. A run that ended before any of its orders
   * left does not count.
   */
  async lastStoppedAt(strategyId: number): Promise<number | undefined> {
    const { id, stoppedAt, strategyId: owner } = strategyRuns
    const [row] = await this.db.read
      .select({ stoppedAt })
      .from(strategyRuns)
      .where(and(eq(owner, strategyId), isNotNull(stoppedAt), not(sql.raw(ENDED_UNSENT))))
      .orderBy(desc(id))
      .limit(1)
    return row?.stoppedAt ?? undefined
  }

  /** Returns the newest orders of a strategy or of one of its runs, oldest first. */
  async orders(strategyId: number, runId?: number, limit = MAX_ROWS): Promise<StrategyOrderRow[]> {
    const rows = await this.db.read
      .select()
      .from(strategyOrders)
      .where(
        and(
          eq(strategyOrders.strategyId, strategyId),
          runId === undefined ? undefined : eq(strategyOrders.runId, runId),
        ),
      )
      .orderBy(desc(strategyOrders.id))
      .limit(limit)
    return rows.reverse()
  }

  /** Returns the newest checkpoints of a run, oldest first. */
  async checkpoints(strategyId: number, runId: number): Promise<CheckpointRow[]> {
    const rows = await this.db.read
      .select()
      .from(strategyCheckpoints)
      .where(and(eq(strategyCheckpoints.strategyId, strategyId), eq(strategyCheckpoints.runId, runId)))
      .orderBy(desc(strategyCheckpoints.id))
      .limit(MAX_ROWS)
    return rows.reverse()
  }
}
