import { eq } from 'drizzle-orm'
import type { TradingMode } from '../../risk/index.js'
import type { Database, Tx } from '../../storage/index.js'
import { orderBatches } from '../../storage/tables/svc/orders.js'
import type { Clock } from '../../time/index.js'
import type { Deadline } from '../deadline.js'
import type { JournalEntry, OrderJournal, OrderSource } from '../journal/journal.js'
import type { ExecutionPlan } from './plan.js'
import { readExecutionPlan } from './plan-schema.js'

/** A request that becomes orders: who sent it, and as what. */
export interface Batch {
  batchRef: string
  userId: string
  operation: string
  source: OrderSource
  mode: TradingMode
  approvalId?: number
  /** Of the caller, who is gone after it. Not stored. */
  deadline?: Deadline
}

/** As it was stored; the plan is missing until its orders are stored. */
export interface StoredBatch extends Batch {
  executionPlan: ExecutionPlan | undefined
  createdAt: number
}

/** All SQL of batches. Their orders are rows of the journal. */
export class BatchStore {
  constructor(
    private readonly db: Database,
    private readonly journal: OrderJournal,
    private readonly clock: Clock,
  ) {}

  /** Notes a request whose orders are still to be worked out, inside a transaction that is already open. */
  async beginIn(tx: Tx, batch: Batch): Promise<void> {
    await tx.insert(orderBatches).values(this.#row(batch, null))
  }

  /** Stores the plan and its orders, all of them or none. `alongside` writes in the same transaction. */
  async open(
    batch: Batch,
    executionPlan: ExecutionPlan,
    entries: readonly JournalEntry[],
    alongside?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const text = JSON.stringify(executionPlan)
    await this.db.write(async (tx) => {
      await tx
        .insert(orderBatches)
        .values(this.#row(batch, text))
        .onConflictDoUpdate({ target: orderBatches.batchRef, set: { plan: text } })
      await this.journal.openAllIn(tx, entries)
      await alongside?.(tx)
    })
  }

  async find(batchRef: string): Promise<StoredBatch | undefined> {
    const [row] = await this.db.read.select().from(orderBatches).where(eq(orderBatches.batchRef, batchRef))
    if (!row) return undefined
    const { userId, operation, approvalId, createdAt } = row
    return {
      batchRef,
      userId,
      operation,
      source: row.source === 'approval' ? 'approval' : 'api',
      mode: row.mode === 'analyze' ? 'analyze' : 'live',
      ...(approvalId !== null && { approvalId }),
      createdAt,
      executionPlan: row.plan === null ? undefined : readExecutionPlan(row.plan),
    }
  }

  #row(batch: Batch, plan: string | null) {
    return { ...batch, approvalId: batch.approvalId ?? null, plan, createdAt: this.clock.now() }
  }
}
