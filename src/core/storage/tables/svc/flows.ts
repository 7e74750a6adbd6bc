import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { ExecutionStatus, RunTrigger, VersionOrigin } from '../../../flows/schema.js'

/** Workflows: the current graph, the webhook, and whether the trigger is active. */
export const flowWorkflows = sqliteTable(
  'flow_workflows',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull(),
    description: text(),
    /** The nodes of the graph as JSON. */
    nodes: text().notNull().default('[]'),
    edges: text().notNull().default('[]'),
    isActive: integer('is_active', { mode: 'boolean' }).notNull().default(false),
    scheduleJobId: text('schedule_job_id'),
    webhookToken: text('webhook_token').notNull(),
    webhookSecret: text('webhook_secret').notNull(),
    webhookEnabled: integer('webhook_enabled', { mode: 'boolean' }).notNull().default(false),
    webhookAuthType: text('webhook_auth_type').notNull().default('payload'),
    /** The encrypted API key that runs use; set on activation. */
    apiKey: text('api_key'),
    activatedAt: integer('activated_at'),
    /**
     * The last schedule instant that was claimed. It is written before the run, so that no instant runs
     * twice.
     */
    lastScheduledAt: integer('last_scheduled_at'),
    /** The number of the current version. */
    version: integer().notNull().default(1),
    contentHash: text('content_hash').notNull(),
    /** The key of the file the workflow is kept in; null if it was made by hand. */
    fileKey: text('file_key'),
    /**
     * The hash of the content last applied from the file. If `contentHash` differs, somebody changed it
     * since.
     */
    appliedHash: text('applied_hash'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (table) => [
    uniqueIndex('flow_workflows_token').on(table.webhookToken),
    uniqueIndex('flow_workflows_file').on(table.fileKey),
  ],
)

/** Runs of workflows. The row is written when a run begins and completed when it ends. */
export const flowExecutions = sqliteTable(
  'flow_workflow_executions',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    workflowId: integer('workflow_id').notNull(),
    status: text().$type<ExecutionStatus>().notNull().default('pending'),
    startedAt: integer('started_at').notNull(),
    completedAt: integer('completed_at'),
    logs: text().notNull().default('[]'),
    error: text(),
    trigger: text().$type<RunTrigger>().notNull(),
    version: integer().notNull(),
  },
  (table) => [
    index('flow_executions_workflow').on(table.workflowId, table.id),
    // A small partial index: each start looks for runs that a crash left unfinished.
    index('flow_executions_unfinished').on(table.id).where(sql`status in ('running', 'pending')`),
  ],
)

/** All versions of a workflow's content, with author, time, file and commit. */
export const flowVersions = sqliteTable(
  'flow_versions',
  {
    workflowId: integer('workflow_id').notNull(),
    version: integer().notNull(),
    at: integer().notNull(),
    by: text().notNull(),
    origin: text().$type<VersionOrigin>().notNull(),
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

/** Encrypted values. Graphs refer to them by name and never contain them. */
export const flowSecrets = sqliteTable('flow_secrets', {
  name: text().primaryKey(),
  sealed: text().notNull(),
  updatedAt: integer('updated_at').notNull(),
  updatedBy: text('updated_by').notNull(),
})

/**
 * The callers' own keys of webhook calls, kept for 24 hours, so that a retry repeats the answer and not the
 * run.
 */
export const flowWebhookKeys = sqliteTable(
  'flow_webhook_keys',
  {
    workflowId: integer('workflow_id').notNull(),
    key: text().notNull(),
    /** SHA-256 of the payload. The same key with another payload is a conflict. */
    requestHash: text('request_hash').notNull(),
    /** The run of this key. */
    executionId: integer('execution_id').notNull(),
    /** How the run ended, as JSON; null until it has ended. */
    result: text(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workflowId, table.key] }),
    index('flow_webhook_keys_created').on(table.createdAt),
    // A small partial index: each start looks for keys whose run a crash cut off.
    index('flow_webhook_keys_open').on(table.executionId).where(sql`result is null`),
  ],
)
