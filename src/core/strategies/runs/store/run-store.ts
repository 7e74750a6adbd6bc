import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, not, notInArray, or, sql } from 'drizzle-orm'
import { fromColumn, fromMoney, type Money } from '../../../money/index.js'
import type { Database, StatementRows } from '../../../storage/index.js'
import {
  strategies,
  strategyCheckpoints,
  strategyEvents,
  strategyOrders,
  strategyRuns,
} from '../../../storage/tables/svc/strategies.js'
import { DAY_MS } from '../../../time/index.js'
import type { RunMode } from '../../config/index.js'
import type { RunDefinition } from '../../engine/definition.js'
import { eventRows } from '../../store/event-store.js'
import { ENDED_UNSENT } from '../../store/unsent-run.js'
import { CheckpointStore } from './checkpoint-store.js'
import type { ClaimRefusal, NewRun, NewRunEvent, OrderRowChange, RunWrite, StoredOrder } from './run-rows.js'
import { changesOf, statementsOf } from './run-statements.js'

export type StoredStrategy = typeof strategies.$inferSelect
export type StoredRun = typeof strategyRuns.$inferSelect

/** A broker reports a late fill within the session, or when its feed is back. */
export const LATE_MS = 2 * DAY_MS

/** Finished runs that may still get a late fill. */
export const KEPT_FINISHED = 1_000

/** True for a configuration with a schedule or an exit time. A row without valid JSON has neither. */
const SCHEDULED = sql`case when json_valid(${strategies.config}) then
    ${strategies.config} ->> '$.scheduler.enabled' = 1 or ${strategies.config} ->> '$.exit_time' is not null
  else 0 end`

/** The SQL that changes runs, with their orders and checkpoints. */
export class RunStore {
  readonly checkpoints: CheckpointStore
  /** The query of each minute, written once: writing its text takes longer than running it. */
  #scheduled: { execute(): Promise<StoredStrategy[]> } | undefined

  constructor(private readonly db: Database) {
    this.checkpoints = new CheckpointStore(db)
  }

  async strategy(id: number): Promise<StoredStrategy | undefined> {
    const [row] = await this.db.read.select().from(strategies).where(eq(strategies.id, id))
    return row
  }

  /** Returns the user of a run, also of one whose strategy was deleted. Undefined if nobody knows him any more. */
  async ownerOf({ definition, strategyId }: StoredRun): Promise<string | undefined> {
    return (await this.strategy(strategyId))?.userId ?? ownerIn(definition)
  }

  /**
   * Removes the runs of deleted strategies that ended before an instant, with their rows. One that squares off a late fill
   * stays, unless a person must look at it.
   */
  async removeDeleted(before: number): Promise<void> {
    const { id, reopenedAt, reservedAt, stoppedAt, strategyId } = strategyRuns
    await this.db.write(async (tx) => {
      const rows = await tx
        .delete(strategyRuns)
        .where(
          and(
            ...[lt(stoppedAt, before), or(isNull(reopenedAt), isNotNull(reservedAt))],
            notInArray(strategyId, tx.select({ id: strategies.id }).from(strategies)),
          ),
        )
        .returning({ id })
      const runIds = rows.map((row) => row.id)
      await tx.delete(strategyOrders).where(inArray(strategyOrders.runId, runIds))
      await tx.delete(strategyCheckpoints).where(inArray(strategyCheckpoints.runId, runIds))
      await tx.delete(strategyEvents).where(inArray(strategyEvents.runId, runIds))
    })
  }

  /**
   * Claims the strategy and stores the run. Only one of several simultaneous callers succeeds. The look-up of contracts
   * takes time, so the claim also refuses a strategy that was changed, locked or barred from live runs meanwhile.
   */
  claim(
    run: NewRun,
    definitionOf: (runId: number) => RunDefinition,
  ): Promise<{ definition: RunDefinition } | { refused: ClaimRefusal }> {
    return this.db.write(async (tx) => {
      const { strategyId, at } = run
      const [strategy] = await tx.select().from(strategies).where(eq(strategies.id, strategyId))
      const refused = claimRefusal(strategy, run)
      if (refused) return { refused }
      await tx
        .update(strategies)
        .set({ status: 'running', updatedAt: at })
        .where(eq(strategies.id, strategyId))
      const [row] = await tx
        .insert(strategyRuns)
        .values({
          strategyId,
          mode: run.mode,
          broker: run.broker,
          startedAt: at,
          triggerSource: run.trigger,
          webhookEventId: run.webhookEventId ?? null,
          resolvedExpiries: JSON.stringify(run.expiries),
        })
        .returning()
      if (!row) throw new Error('the run was not stored')
      const definition = definitionOf(row.id)
      await tx
        .update(strategyRuns)
        .set({ definition: JSON.stringify(definition) })
        .where(eq(strategyRuns.id, row.id))
      await tx.update(strategies).set({ currentRunId: row.id }).where(eq(strategies.id, strategyId))
      return { definition }
    })
  }

  /** Stores news about orders whose runs are not in memory. */
  async changeOrders(changes: readonly OrderRowChange[], at: number): Promise<void> {
    if (changes.length === 0) return
    const statements = changesOf(changes, at)
    await this.db.script(() => statements)
  }

  /** Stores everything that one input of a run asks for, with the rows `alongside`, or nothing of it. */
  async apply(write: RunWrite, alongside: readonly StatementRows[] = []): Promise<void> {
    const statements = [...alongside, ...statementsOf(write)]
    await this.db.script(() => statements)
  }

  /** Returns the runs that have not ended, oldest first. */
  unfinished(): Promise<StoredRun[]> {
    return this.db.read
      .select()
      .from(strategyRuns)
      .where(isNull(strategyRuns.stoppedAt))
      .orderBy(strategyRuns.id)
  }

  /**
   * Returns the runs that are over and may still get a fill: of the newest runs those that ended since an instant, and
   * all that are not flat again after one.
   */
  async ended(since: number, limit = KEPT_FINISHED): Promise<StoredRun[]> {
    const reopened = await this.db.read.select().from(strategyRuns).where(isNotNull(strategyRuns.reopenedAt))
    const newest = await this.db.read.select().from(strategyRuns).orderBy(desc(strategyRuns.id)).limit(limit)
    const known = new Set(reopened.map(({ id }) => id))
    const late = newest.filter(({ id, stoppedAt }) => !known.has(id) && (stoppedAt ?? 0) >= since)
    return [...reopened, ...late]
  }

  /** Returns the unfinished run of a strategy. */
  async unfinishedOf(strategyId: number): Promise<StoredRun | undefined> {
    const [row] = await this.db.read
      .select()
      .from(strategyRuns)
      .where(and(eq(strategyRuns.strategyId, strategyId), isNull(strategyRuns.stoppedAt)))
    return row
  }

  /** Returns which of these references have a row, of whatever run. */
  async knownOf(orderRefs: readonly string[]): Promise<Set<string>> {
    const rows = await this.db.read
      .select({ orderRef: strategyOrders.orderRef })
      .from(strategyOrders)
      .where(inArray(strategyOrders.orderRef, [...orderRefs]))
    return new Set(rows.map(({ orderRef }) => orderRef))
  }

  /** Returns the orders of a run, oldest first. */
  ordersOf(runId: number): Promise<StoredOrder[]> {
    return this.ordersOfAll([runId])
  }

  /** Returns the orders of several runs, oldest first. */
  async ordersOfAll(runIds: readonly number[]): Promise<StoredOrder[]> {
    const rows = await this.db.read
      .select()
      .from(strategyOrders)
      .where(inArray(strategyOrders.runId, [...runIds]))
      .orderBy(strategyOrders.id)
    return rows.map((row) => ({
      id: row.orderRef,
      runId: row.runId,
      legId: row.legId,
      kind: row.kind,
      positionRef: row.positionRef,
      symbol: row.symbol,
      exchange: row.exchange,
      action: row.action,
      quantity: row.quantity,
      status: row.status,
      filledQuantity: row.filledQuantity,
      brokerOrderId: row.brokerOrderId,
      product: row.product,
      pendingOrderId: row.pendingOrderId,
      closedElsewhere: row.closedElsewhere,
      averagePrice: row.averagePrice === null ? null : fromMoney(fromColumn(row.averagePrice)),
    }))
  }

  /** Returns what the runs of a strategy in one mode that ended since the beginning of the session have realised in it. */
  async realizedSince(strategyId: number, mode: RunMode, since: number): Promise<Money> {
    const [row] = await this.db.read
      .select({ total: sql<number>`coalesce(sum(${strategyRuns.pnlSession}), 0)`.as('total') })
      .from(strategyRuns)
      .where(
        and(
          eq(strategyRuns.strategyId, strategyId),
          eq(strategyRuns.mode, mode),
          gte(strategyRuns.stoppedAt, since),
        ),
      )
    return fromColumn(row?.total ?? 0)
  }

  /**
   * Returns whether the scheduler has started a run of the strategy in a period. A clock that ran ahead leaves runs
   * of later days, which do not count. Neither does a run that ended before any of its orders left.
   */
  async wasStartedByScheduler(strategyId: number, from: number, until: number): Promise<boolean> {
    const [row] = await this.db.read
      .select({ id: strategyRuns.id })
      .from(strategyRuns)
      .where(
        and(
          eq(strategyRuns.strategyId, strategyId),
          eq(strategyRuns.triggerSource, 'scheduler'),
          gte(strategyRuns.startedAt, from),
          lt(strategyRuns.startedAt, until),
          not(sql.raw(ENDED_UNSENT)),
        ),
      )
      .limit(1)
    return row !== undefined
  }

  /** Returns the strategies that have a schedule or an exit time. */
  scheduled(): Promise<StoredStrategy[]> {
    this.#scheduled ??= this.db.read.select().from(strategies).where(SCHEDULED).prepare()
    return this.#scheduled.execute()
  }

  /** Appends an event outside any run's change. */
  async append(event: Omit<NewRunEvent, 'runId'> & { runId: number | null }): Promise<void> {
    const stored = eventRows([event])
    await this.db.script(() => [stored])
  }
}

function claimRefusal(strategy: StoredStrategy | undefined, run: NewRun): ClaimRefusal | undefined {
  if (!strategy) return 'gone'
  if (strategy.status === 'running' || strategy.currentRunId !== null) return 'running'
  if (strategy.config !== run.config) return 'changed'
  if (run.mode === 'live' && !strategy.liveEnabled) return 'not_live'
  return run.trigger === 'webhook' && strategy.webhookLocked ? 'locked' : undefined
}

/** Returns the owner that the deletion of its strategy noted in a run. */
function ownerIn(definition: string): string | undefined {
  try {
    const owner: unknown = JSON.parse(definition)?.ownerId
    return typeof owner === 'string' ? owner : undefined
  } catch {
    return undefined
  }
}
