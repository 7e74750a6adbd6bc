import { and, desc, eq, gte, inArray, lt, max, sql } from 'drizzle-orm'
import { crashPoint } from '../errors/index.js'
import { allBut, type Database, insertInto, nextIdIn, RowsFirst, type Tx } from '../storage/index.js'
import { flowExecutions, flowSecrets, flowVersions, flowWorkflows } from '../storage/tables/svc/flows.js'
import type { ExecutionStatus } from './schema.js'

export type WorkflowRow = typeof flowWorkflows.$inferSelect
export type NewWorkflowRow = typeof flowWorkflows.$inferInsert
export type ExecutionRow = typeof flowExecutions.$inferSelect
/** The newest run of a workflow. */
export interface LastRun {
  status: ExecutionStatus
  startedAt: number
}
/** The runs that a list is limited to, by their start; `before` is the id of the last run of the page before. */
export interface RunQuery {
  before?: number | undefined
  since?: number | undefined
  until?: number | undefined
  status?: ExecutionStatus | undefined
}
export type VersionRow = typeof flowVersions.$inferSelect
/** The current version of a workflow, without its content. `file` is the one that it was last applied from. */
export type CurrentVersion = Pick<
  VersionRow,
  'workflowId' | 'version' | 'at' | 'by' | 'origin' | 'file' | 'commit'
> & { rolledBackTo: number | null }
type SecretRow = typeof flowSecrets.$inferSelect

/** Inserts the row of a run when it begins, and updates it when it ends. */
const SAVE_EXECUTION = insertInto(flowExecutions, allBut(flowExecutions), {
  key: ['id'],
  replace: ['status', 'completedAt', 'logs', 'error'],
})

/**
 * Claims a schedule instant: of several attempts, only one changes the row. A stored instant far in the
 * future comes from a wrong clock that was set back, so it does not block the claim.
 */
const CLAIM_INSTANT = `update flow_workflows set last_scheduled_at = ?
  where id = ? and (last_scheduled_at is null or last_scheduled_at < ? or last_scheduled_at > ?)`
const CLOCK_TOLERANCE_MS = 60_000

const PRUNE_BY_COUNT = `delete from flow_workflow_executions where workflow_id = ? and status <> 'running' and id <
  (select id from flow_workflow_executions where workflow_id = ? order by id desc limit 1 offset ?)`

/** Examines only the oldest rows: if the oldest is young enough, all are. */
const PRUNE_BATCH = 100
const PRUNE_BY_AGE = `delete from flow_workflow_executions where id in
  (select id from flow_workflow_executions where workflow_id = ? order by id limit ${PRUNE_BATCH})
  and status <> 'running' and started_at < ?`

/** All SQL of flows. */
export class FlowStore {
  readonly #db: Database
  #nextExecutionId: number

  private constructor(db: Database, nextExecutionId: number) {
    this.#db = db
    this.#nextExecutionId = nextExecutionId
  }

  static async open(db: Database): Promise<FlowStore> {
    return new FlowStore(db, await nextIdIn(db, 'flow_workflow_executions'))
  }

  workflows(): Promise<WorkflowRow[]> {
    return this.#db.read.select().from(flowWorkflows).orderBy(flowWorkflows.id)
  }

  /** Runs several changes that succeed or fail together. */
  write<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#db.write(fn)
  }

  /** Stores a workflow with its first version. */
  async insertIn(tx: Tx, row: NewWorkflowRow, version: Omit<VersionRow, 'workflowId'>): Promise<WorkflowRow> {
    const [inserted] = await tx.insert(flowWorkflows).values(row).returning()
    if (!inserted) throw new Error('the workflow was not stored')
    crashPoint('flows.apply.midTransaction')
    await tx.insert(flowVersions).values({ ...version, workflowId: inserted.id })
    return inserted
  }

  async updateIn(tx: Tx, id: number, changes: Partial<NewWorkflowRow>, version?: VersionRow): Promise<void> {
    await tx.update(flowWorkflows).set(changes).where(eq(flowWorkflows.id, id))
    if (!version) return
    crashPoint('flows.apply.midTransaction')
    await tx.insert(flowVersions).values(version)
  }

  update(id: number, changes: Partial<NewWorkflowRow>): Promise<void> {
    return this.#db.write((tx) => this.updateIn(tx, id, changes))
  }

  /** Removes a workflow with its runs and versions. */
  async removeIn(tx: Tx, id: number): Promise<void> {
    await tx.delete(flowExecutions).where(eq(flowExecutions.workflowId, id))
    await tx.delete(flowVersions).where(eq(flowVersions.workflowId, id))
    await tx.delete(flowWorkflows).where(eq(flowWorkflows.id, id))
  }

  /** Claims a schedule instant. @returns false if it was already claimed */
  claimInstant(workflowId: number, scheduledFor: number, now: number): Promise<boolean> {
    const parameters = [scheduledFor, workflowId, scheduledFor, now + CLOCK_TOLERANCE_MS]
    return this.#db.write(async (tx) => {
      const { changes } = await tx.exec(CLAIM_INSTANT, parameters)
      return changes === 1
    })
  }

  newExecutionId(): number {
    return this.#nextExecutionId++
  }

  /** Saves the row of a run and resolves once it is durable. The rows of many runs share a statement. */
  saveExecution(row: ExecutionRow): Promise<void> {
    return this.#db.batch(SAVE_EXECUTION.rows([row]))
  }

  /** Returns the row of a run that begins, to be stored before the run acts. */
  beginning(row: ExecutionRow): RowsFirst {
    return new RowsFirst(this.#db, () => [SAVE_EXECUTION.rows([row])])
  }

  /** Returns the newest runs of a workflow, of those that the query names. */
  executions(workflowId: number, limit: number, query: RunQuery = {}): Promise<ExecutionRow[]> {
    const { before, since, status, until } = query
    return this.#db.read
      .select()
      .from(flowExecutions)
      .where(
        and(
          eq(flowExecutions.workflowId, workflowId),
          before === undefined ? undefined : lt(flowExecutions.id, before),
          since === undefined ? undefined : gte(flowExecutions.startedAt, since),
          until === undefined ? undefined : lt(flowExecutions.startedAt, until),
          status === undefined ? undefined : eq(flowExecutions.status, status),
        ),
      )
      .orderBy(desc(flowExecutions.id))
      .limit(limit)
  }

  async execution(id: number): Promise<ExecutionRow | undefined> {
    const [row] = await this.#db.read.select().from(flowExecutions).where(eq(flowExecutions.id, id))
    return row
  }

  /** Returns whether this trigger has started a run of the workflow since an instant. */
  async hasRunSince(workflowId: number, trigger: string, since: number): Promise<boolean> {
    const [row] = await this.#db.queryRaw(
      `select 1 as ran from flow_workflow_executions
        where workflow_id = ? and trigger = ? and started_at >= ? order by id desc limit 1`,
      [workflowId, trigger, since],
    )
    return row !== undefined
  }

  /** Returns the newest run of each workflow. It reads a whole index, so it runs only at start. */
  async lastRuns(): Promise<Map<number, LastRun>> {
    const { id, startedAt, status, workflowId } = flowExecutions
    const newest = this.#db.read
      .select({ id: max(id) })
      .from(flowExecutions)
      .groupBy(workflowId)
    const rows = await this.#db.read
      .select({ workflowId, status, startedAt })
      .from(flowExecutions)
      .where(inArray(id, newest))
    return new Map(rows.map(({ workflowId: flow, ...run }) => [flow, run]))
  }

  /** Marks the runs that a crash or a stop left running as failed. @returns their number */
  interrupt(at: number, error: string): Promise<number> {
    return this.#db.write(async (tx) => {
      const { changes } = await tx.exec(
        `update flow_workflow_executions set status = 'failed', error = ?, completed_at = ?
          where status in ('running', 'pending')`,
        [error, at],
      )
      return changes
    })
  }

  /** Keeps the newest `keep` runs of each workflow and removes the others. */
  async pruneByCount(workflowIds: readonly number[], keep: number): Promise<void> {
    await this.#db.write(async (tx) => {
      for (const id of workflowIds) await tx.exec(PRUNE_BY_COUNT, [id, id, keep - 1])
    })
  }

  /**
   * Removes runs of a workflow that began before an instant, in batches, so that orders can be written in
   * between.
   */
  async pruneByAge(workflowId: number, before: number): Promise<void> {
    const batch = () => this.#db.write((tx) => tx.exec(PRUNE_BY_AGE, [workflowId, before]))
    while ((await batch()).changes === PRUNE_BATCH);
  }

  /** Returns the versions of a workflow, newest first. */
  versions(workflowId: number): Promise<VersionRow[]> {
    return this.#db.read
      .select()
      .from(flowVersions)
      .where(eq(flowVersions.workflowId, workflowId))
      .orderBy(desc(flowVersions.version))
  }

  /** Returns the current version of every workflow, without its content. */
  currentVersions(): Promise<CurrentVersion[]> {
    const { workflowId, version, at, by, origin, commit, contentHash } = flowVersions
    // A change by hand has no file.
    const file = sql<string | null>`(select f.file from flow_versions f
      where f.workflow_id = ${workflowId} and f.file is not null order by f.version desc limit 1)`
    const rolledBackTo = sql<
      number | null
    >`case when ${origin} = 'rollback' then (select f.version from flow_versions f
      where f.workflow_id = ${workflowId} and f.version < ${version} and f.content_hash = ${contentHash}
      order by f.version desc limit 1) end`
    return this.#db.read
      .select({ workflowId, version, at, by, origin, file, commit, rolledBackTo })
      .from(flowVersions)
      .innerJoin(flowWorkflows, and(eq(flowWorkflows.id, workflowId), eq(flowWorkflows.version, version)))
  }

  async version(workflowId: number, version: number): Promise<VersionRow | undefined> {
    const [row] = await this.#db.read
      .select()
      .from(flowVersions)
      .where(and(eq(flowVersions.workflowId, workflowId), eq(flowVersions.version, version)))
    return row
  }

  secrets(): Promise<SecretRow[]> {
    return this.#db.read.select().from(flowSecrets).orderBy(flowSecrets.name)
  }

  async saveSecret(row: SecretRow): Promise<void> {
    await this.#db.write(async (tx) => {
      const { sealed, updatedAt, updatedBy } = row
      await tx
        .insert(flowSecrets)
        .values(row)
        .onConflictDoUpdate({ target: flowSecrets.name, set: { sealed, updatedAt, updatedBy } })
    })
  }

  async removeSecret(name: string): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx.delete(flowSecrets).where(eq(flowSecrets.name, name))
    })
  }
}
