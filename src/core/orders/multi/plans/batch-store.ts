import { eq } from 'drizzle-orm'
import { allBut, type BatchRows, type Database, insertInto } from '../../../storage/index.js'
import { orderBatches } from '../../../storage/tables/svc/orders.js'
import type { Clock } from '../../../time/index.js'
import type { TradingMode } from '../../../trading/index.js'
import { ORDER_SOURCES, type OrderSource } from '../../journal/entry.js'
import type { Caller, LiveExecution } from '../../ports.js'
import type { StoredPlan } from './plan.js'
import { readExecutionPlan } from './plan-schema.js'

const STORE_BATCH = insertInto(orderBatches, allBut(orderBatches), { key: ['batchRef'], replace: ['plan'] })

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

/** A request that was decided for the broker that was active then. Not stored: its orders have their broker. */
export type DecidedBatch = Batch & Pick<LiveExecution, 'brokerId'>

/** A stored batch. The plan is missing until its orders are stored. */
export interface StoredBatch extends Batch {
  executionPlan: StoredPlan | undefined
  createdAt: number
}

/** All SQL of batches. Their orders are rows of the journal. */
export class BatchStore {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the row of a request. The plan is missing until its orders are stored, and then goes into the row that the
   * request has already.
   */
  row(batch: Batch, plan?: StoredPlan): BatchRows {
    const { batchRef, mode, operation, source, userId } = batch
    const approvalId = batch.approvalId ?? null
    const createdAt = this.clock.now()
    const stored = plan ? JSON.stringify(plan) : null
    return STORE_BATCH.rows([
      { batchRef, userId, operation, source, mode, approvalId, plan: stored, createdAt },
    ])
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
}
