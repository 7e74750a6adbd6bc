import { eq } from 'drizzle-orm'
import type { Database, Tx } from '../../storage/index.js'
import { orderBatches } from '../../storage/tables/svc/orders.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { type JournalEntry, ORDER_SOURCES, type OrderJournal, type OrderSource } from '../journal/journal.js'
import type { Caller } from '../ports.js'
import type { ExecutionPlan, StoredPlan } from './plan.js'
import { readExecutionPlan } from './plan-schema.js'

/** A request that becomes orders, with its user and its operation. */
export interface Batch {
  batchRef: string
  userId: string
  operation: string
  source: OrderSource
  mode: TradingMode
  approvalId?: number
  /** The account at the broker that its orders are decided for. Not stored: a later retry decides anew. */
  accountId?: string | undefined
  /** Not stored: a later retry is another caller. */
  caller?: Caller
}

/** A stored batch. The plan is missing until its orders are stored. */
export interface StoredBatch extends Batch {
  executionPlan: StoredPlan | undefined
  createdAt: number
}

/** All SQL of batches. Their orders are rows of the journal. */
export class BatchStore {
  constructor(
    private readonly db: Database,
    private readonly journal: OrderJournal,
    private readonly clock: Clock,
  ) {}

  /** Stores a request whose orders are not planned yet, inside a transaction that is already open. */
  async beginIn(tx: Tx, batch: Batch): Promise<void> {
    await tx.insert(orderBatches).values(this.#row(batch, null))
  }

  /** Stores the plan and all claims of its orders atomically. `alongside` writes in the same transaction. */
  async open(
    batch: Batch,
    executionPlan: ExecutionPlan,
    entries: readonly JournalEntry[],
    alongside?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    if (batch.mode === 'analyze') {
      const orderIds = entries.map(({ orderRef }) => orderRef)
      return this.openSimulated(batch, { ...executionPlan, orderIds }, alongside)
    }
    await this.db.write(async (tx) => {
      await this.#planIn(tx, batch, executionPlan)
      await this.journal.openAllIn(tx, entries)
      await alongside?.(tx)
    })
  }

  /** Stores a plan of Analyzer mode. Its orders are rows of the sandbox, so the plan has their ids. */
  async openSimulated(batch: Batch, plan: StoredPlan, alongside?: (tx: Tx) => Promise<void>): Promise<void> {
    await this.db.write(async (tx) => {
      await this.#planIn(tx, batch, plan)
      await alongside?.(tx)
    })
  }

  async #planIn(tx: Tx, batch: Batch, stored: StoredPlan): Promise<void> {
    const plan = JSON.stringify(stored)
    await tx
      .insert(orderBatches)
      .values(this.#row(batch, plan))
      .onConflictDoUpdate({ target: orderBatches.batchRef, set: { plan } })
  }

  async find(batchRef: string): Promise<StoredBatch | undefined> {
    const [row] = await this.db.read.select().from(orderBatches).where(eq(orderBatches.batchRef, batchRef))
    if (!row) return undefined
    const { userId, operation, approvalId, createdAt } = row
    return {
      batchRef,
      userId,
      operation,
      source: ORDER_SOURCES.find((one) => one === row.source) ?? 'api',
      mode: row.mode === 'analyze' ? 'analyze' : 'live',
      ...(approvalId !== null && { approvalId }),
      createdAt,
      executionPlan: row.plan === null ? undefined : readExecutionPlan(row.plan),
    }
  }

  #row(batch: Batch, plan: string | null) {
    const { caller: _, ...stored } = batch
    return { ...stored, approvalId: batch.approvalId ?? null, plan, createdAt: this.clock.now() }
  }
}
