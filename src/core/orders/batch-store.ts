import { eq } from 'drizzle-orm'
import type { TradingMode } from '../risk/index.js'
import type { Database, Tx } from '../storage/index.js'
import { orderBatches } from '../storage/tables/svc/orders.js'
import type { Clock } from '../time/index.js'
import type { Deadline } from './deadline.js'
import { readErrand } from './errand-schema.js'
import type { JournalEntry, OrderJournal, OrderSource } from './journal.js'
import type { Errand } from './plan.js'

/** A request that becomes orders: who sent it, and as what. */
export interface Batch {
  batchRef: string
  userId: string
  apiType: string
  source: OrderSource
  mode: TradingMode
  approvalId?: number
  /** Of the caller, who is gone after it. Not stored. */
  deadline?: Deadline
}

/** As it was stored; the errand is missing until its orders were. */
export interface StoredBatch extends Batch {
  errand: Errand | undefined
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

  /** Stores the errand and its orders, all of them or none. `alongside` writes in the same transaction. */
  async open(
    batch: Batch,
    errand: Errand,
    entries: readonly JournalEntry[],
    alongside?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const text = JSON.stringify(errand)
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
    const { userId, apiType, approvalId, createdAt } = row
    return {
      batchRef,
      userId,
      apiType,
      source: row.source === 'approval' ? 'approval' : 'api',
      mode: row.mode === 'analyze' ? 'analyze' : 'live',
      ...(approvalId !== null && { approvalId }),
      createdAt,
      errand: row.plan === null ? undefined : readErrand(row.plan),
    }
  }

  #row(batch: Batch, plan: string | null) {
    return { ...batch, approvalId: batch.approvalId ?? null, plan, createdAt: this.clock.now() }
  }
}
