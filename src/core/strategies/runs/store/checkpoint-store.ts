import { desc, eq, sql } from 'drizzle-orm'
import { fromColumn, toColumn } from '../../../money/index.js'
import { allBut, type Database, insertInto, type StatementRows } from '../../../storage/index.js'
import { strategyCheckpoints } from '../../../storage/tables/svc/strategies.js'
import type { RunDefinition } from '../../engine/definition.js'
import type { Checkpoint } from '../../engine/records.js'

/** A checkpoint and its run. */
export interface SavedCheckpoint {
  definition: RunDefinition
  checkpoint: Checkpoint
}

/** The newest checkpoints of a run that are kept. */
export const KEPT_CHECKPOINTS = 200
/** The limits and offsets of the reads that look for a checkpoint. */
const CHECKPOINT_PAGES = [
  [1, 0],
  [KEPT_CHECKPOINTS, 1],
] as const

const INSERT_CHECKPOINTS = insertInto(strategyCheckpoints, allBut(strategyCheckpoints, 'id'))

const PRUNE_CHECKPOINTS = `delete from strategy_checkpoints where run_id = ? and id <=
  (select id from strategy_checkpoints where run_id = ? order by id desc limit 1 offset ${KEPT_CHECKPOINTS})`

/** The SQL of checkpoints. */
export class CheckpointStore {
  constructor(private readonly db: Database) {}

  /** Stores checkpoints of several runs in one transaction. */
  async save(checkpoints: readonly SavedCheckpoint[]): Promise<void> {
    if (checkpoints.length === 0) return
    const stored = checkpointRows(checkpoints)
    await this.db.script(() => [stored])
  }

  /** Removes all but the newest checkpoints of a run. */
  async prune(runIds: readonly number[]): Promise<void> {
    await this.db.write(async (tx) => {
      for (const runId of runIds) await tx.exec(PRUNE_CHECKPOINTS, [runId, runId])
    })
  }

  /** Removes the old checkpoints of all runs, for a service that was stopped before it pruned them. */
  async pruneAll(): Promise<void> {
    const rows = await this.db.read
      .select({ runId: strategyCheckpoints.runId })
      .from(strategyCheckpoints)
      .groupBy(strategyCheckpoints.runId)
      .having(sql`count(*) > ${KEPT_CHECKPOINTS}`)
    if (rows.length > 0) await this.prune(rows.map(({ runId }) => runId))
  }

  /** Returns the newest checkpoint of a run that can be read. */
  async last(runId: number): Promise<Checkpoint | null> {
    // The newest one can be read, except after a fault of the disk.
    for (const [limit, offset] of CHECKPOINT_PAGES) {
      const rows = await this.db.read
        .select()
        .from(strategyCheckpoints)
        .where(eq(strategyCheckpoints.runId, runId))
        .orderBy(desc(strategyCheckpoints.id))
        .limit(limit)
        .offset(offset)
      for (const row of rows) {
        const checkpoint = checkpointOf(row)
        if (checkpoint) return checkpoint
      }
    }
    return null
  }
}

/** Returns the statement that adds checkpoints. */
export function checkpointRows(checkpoints: readonly SavedCheckpoint[]): StatementRows {
  return INSERT_CHECKPOINTS.rows(checkpoints.map(asStored))
}

function asStored({ definition: { strategyId, runId }, checkpoint }: SavedCheckpoint) {
  const { at, carried, realized, unrealized, total, peak, trough, lockFloor, isLockArmed, legs } = checkpoint
  return {
    strategyId,
    runId,
    ts: at,
    pnlRealized: toColumn(realized),
    pnlUnrealized: toColumn(unrealized),
    pnlTotal: toColumn(total),
    pnlPeak: toColumn(peak),
    pnlTrough: toColumn(trough),
    lockFloor: lockFloor === null ? null : toColumn(lockFloor),
    trailToEntryActive: checkpoint.isTrailToEntryActive,
    legState: JSON.stringify({ isLockArmed, legs, carried }),
  }
}

function checkpointOf(row: typeof strategyCheckpoints.$inferSelect): Checkpoint | null {
  try {
    const { carried, isLockArmed, legs }: Pick<Checkpoint, 'carried' | 'isLockArmed' | 'legs'> = JSON.parse(
      row.legState,
    )
    return {
      ...(carried !== undefined && { carried }),
      at: row.ts,
      isLockArmed,
      legs,
      isTrailToEntryActive: row.trailToEntryActive,
      realized: fromColumn(row.pnlRealized),
      unrealized: fromColumn(row.pnlUnrealized),
      total: fromColumn(row.pnlTotal),
      peak: fromColumn(row.pnlPeak),
      trough: fromColumn(row.pnlTrough),
      lockFloor: row.lockFloor === null ? null : fromColumn(row.lockFloor),
    }
  } catch {
    // A run is restored from its orders without one.
    return null
  }
}
