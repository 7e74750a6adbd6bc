import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Workflows (specification, "Workflow"): the graph as it is now, its webhook, and whether its trigger is armed. */
export const flowWorkflows = sqliteTable(
  'flow_workflows',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text(),
    /** The graph as JSON: its nodes, its edges. */
    nodes: text().notNull().default('[]'),
    edges: text().notNull().default('[]'),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(false),
    scheduleJobId: text('schedule_job_id'),
    webhookToken: text('webhook_token').notNull(),
    webhookSecret: text('webhook_secret').notNull(),
    webhookEnabled: integer('webhook_enabled', { mode: 'boolean' }).notNull().default(false),
    webhookAuthType: text('webhook_auth_type').notNull().default('payload'),
    /** The key runs act with, encrypted; set on activation. */
    apiKey: text('api_key'),
    activatedAt: integer('activated_at'),
    /** The last instant a schedule was due and claimed: written before its run, so that none runs twice. */
    lastScheduledAt: integer('last_scheduled_at'),
    /** The number of the version that is in force. */
    version: integer().notNull().default(1),
    contentHash: text('content_hash').notNull(),
    /** The identity of the file it is kept in; null for those made by hand. */
    fileKey: text('file_key'),
    /** The content that was applied from the file: another content hash means it was changed since. */
    appliedHash: text('applied_hash'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('flow_workflows_token').on(table.webhookToken),
    uniqueIndex('flow_workflows_file').on(table.fileKey),
  ],
)

/** Runs of workflows. A row is written when a run begins and completed when it ends. */
export const flowExecutions = sqliteTable(
  'flow_workflow_executions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    workflowId: integer('workflow_id').notNull(),
    status: text().notNull().default('pending'),
    startedAt: integer('started_at').notNull(),
    completedAt: integer('completed_at'),
    logs: text().notNull().default('[]'),
    error: text(),
    /** What started it: manual, schedule, webhook, price_alert, order_update. */
    trigger: text().notNull(),
    version: integer().notNull(),
  },
  (table) => [
    index('flow_executions_workflow').on(table.workflowId, table.id),
    // A handful of rows, whatever the history: what a crash left behind is looked for at each start.
    index('flow_executions_unfinished').on(table.id).where(sql`status in ('running', 'pending')`),
  ],
)

/** Every content a workflow has had: who put it there, when, and out of which file and commit. */
export const flowVersions = sqliteTable(
  'flow_versions',
  {
    workflowId: integer('workflow_id').notNull(),
    version: integer().notNull(),
    at: integer().notNull(),
    by: text().notNull(),
    /** edit, import, replace, apply, rollback. */
    origin: text().notNull(),
    file: text(),
    commit: text(),
    contentHash: text('content_hash').notNull(),
    name: text().notNull(),
    description: text(),
    nodes: text().notNull(),
    edges: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workflowId, table.version] })],
)

/** Values that workflows name and never hold, encrypted. */
export const flowSecrets = sqliteTable('flow_secrets', {
  name: text().primaryKey(),
  sealed: text().notNull(),
  updatedAt: integer('updated_at').notNull(),
  updatedBy: text('updated_by').notNull(),
})
