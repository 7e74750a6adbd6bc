import { and, desc, eq, isNull, lt } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { flowExecutions, flowWebhookKeys, flowWorkflows } from '../../storage/tables/svc/flows.js'

export type WebhookKeyRow = typeof flowWebhookKeys.$inferSelect

/** A key whose run a crash or a fault cut off before its result was stored, and what the row of that run says. */
export interface OpenWebhookKey {
  workflowId: number
  key: string
  /** Null if the workflow was removed. */
  workflowName: string | null
  /** Null if the run has no row: it had not begun to act. */
  status: string | null
  error: string | null
}

/** The SQL of the keys of webhook calls. */
export class WebhookKeyStore {
  constructor(private readonly db: Database) {}

  async find(workflowId: number, key: string): Promise<WebhookKeyRow | undefined> {
    const [row] = await this.db.read.select().from(flowWebhookKeys).where(isKey(workflowId, key))
    return row
  }

  /** Stores a new key, or replaces one that has expired. */
  async claim(row: WebhookKeyRow): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .insert(flowWebhookKeys)
        .values(row)
        .onConflictDoUpdate({ target: [flowWebhookKeys.workflowId, flowWebhookKeys.key], set: row })
    })
  }

  async saveResult(workflowId: number, key: string, result: string): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.update(flowWebhookKeys).set({ result }).where(isKey(workflowId, key))
    })
  }

  /** Returns the keys without a result, or only this one. */
  open(only?: { workflowId: number; key: string }): Promise<OpenWebhookKey[]> {
    return this.db.read
      .select({
        workflowId: flowWebhookKeys.workflowId,
        key: flowWebhookKeys.key,
        workflowName: flowWorkflows.name,
        status: flowExecutions.status,
        error: flowExecutions.error,
      })
      .from(flowWebhookKeys)
      .leftJoin(flowWorkflows, eq(flowWorkflows.id, flowWebhookKeys.workflowId))
      .leftJoin(flowExecutions, eq(flowExecutions.id, flowWebhookKeys.executionId))
      .where(and(isNull(flowWebhookKeys.result), only && isKey(only.workflowId, only.key)))
  }

  async remove(workflowId: number, key: string): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.delete(flowWebhookKeys).where(isKey(workflowId, key))
    })
  }

  /** Returns when the n-th newest key was stored; undefined if there are fewer. */
  async timeOfNewest(n: number): Promise<number | undefined> {
    const { createdAt } = flowWebhookKeys
    const [row] = await this.db.read
      .select({ createdAt })
      .from(flowWebhookKeys)
      .orderBy(desc(createdAt))
      .limit(1)
      .offset(n - 1)
    return row?.createdAt
  }

  async removeBefore(createdAt: number): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.delete(flowWebhookKeys).where(lt(flowWebhookKeys.createdAt, createdAt))
    })
  }
}

function isKey(workflowId: number, key: string) {
  return and(eq(flowWebhookKeys.workflowId, workflowId), eq(flowWebhookKeys.key, key))
}
