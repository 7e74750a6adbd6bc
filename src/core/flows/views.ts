import { decodeLog, istIso, type LogEntry } from './engine/run-log.js'
import { blankProblems } from './files/check/blank-fields.js'
import { readinessProblems } from './files/check/readiness.js'
import type { Problem } from './graph/graph.js'
import type { Workflow, WorkflowContent } from './schema.js'
import type { ExecutionRow, LastRun, VersionRow } from './store.js'
import { runTriggerOf } from './triggers/index.js'
import { signingKey } from './webhook/webhooks.js'

/** Workflows, runs and versions as the routes under `/flow` return them. */

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : istIso(ms))

/** Returns a whole workflow. `secrets` includes the token and secret of its webhook. */
export function workflowView(workflow: Workflow, { secrets }: { secrets: boolean }) {
  const { id, name, description, graph } = workflow
  return {
    id,
    name,
    description,
    nodes: graph.nodes,
    edges: graph.edges,
    is_active: workflow.isActive,
    webhook_token: secrets ? workflow.webhookToken : null,
    webhook_secret: secrets ? workflow.webhookSecret : null,
    webhook_enabled: workflow.webhookEnabled,
    webhook_auth_type: workflow.webhookAuthType,
    version: workflow.version,
    file_key: workflow.fileKey,
    drifted: isDrifted(workflow),
    created_at: istIso(workflow.createdAt),
    updated_at: istIso(workflow.updatedAt),
  }
}

/** Returns a row of the workflow list, without graph and secrets. */
export function workflowRow(
  workflow: Workflow,
  facts: { lastRun: LastRun | undefined; nextRun: number | undefined },
) {
  const { id, name, description } = workflow
  return {
    id,
    name,
    description,
    is_active: workflow.isActive,
    webhook_enabled: workflow.webhookEnabled,
    version: workflow.version,
    file_key: workflow.fileKey,
    drifted: isDrifted(workflow),
    trigger: runTriggerOf(workflow.graph),
    next_run_at: isoOrNull(facts.nextRun ?? null),
    created_at: istIso(workflow.createdAt),
    updated_at: istIso(workflow.updatedAt),
    last_execution_status: facts.lastRun?.status ?? null,
    last_execution_at: isoOrNull(facts.lastRun?.startedAt ?? null),
  }
}

/** Returns whether a workflow that is kept in a file was changed by hand since it was applied. */
export function isDrifted({ fileKey, appliedHash, contentHash }: Workflow): boolean {
  return fileKey !== null && appliedHash !== contentHash
}

/** Returns a line of a run's log. */
export function logView({ at, ...line }: LogEntry) {
  return { time: istIso(at), ...line }
}

export function executionView(row: ExecutionRow, live?: readonly LogEntry[]) {
  const logs = (live ?? decodeLog(row.logs)).map(logView)
  return {
    id: row.id,
    workflow_id: row.workflowId,
    status: row.status,
    started_at: istIso(row.startedAt),
    completed_at: isoOrNull(row.completedAt),
    logs,
    error: row.error,
    trigger: row.trigger,
    version: row.version,
  }
}

export function versionView(row: VersionRow, current: number) {
  return {
    version: row.version,
    at: istIso(row.at),
    by: row.by,
    origin: row.origin,
    file: row.file,
    commit: row.commit,
    name: row.name,
    content_hash: row.contentHash,
    current: row.version === current,
  }
}

/** Returns an export document. It never contains a secret, an API key or an id of this installation. */
export function exportView({ name, description, graph }: WorkflowContent, now: number) {
  const utc = new Date(now).toISOString().replace('Z', '000')
  return { name, description, nodes: graph.nodes, edges: graph.edges, version: '1.0', exported_at: utc }
}

/** Returns the webhook of a workflow with its URLs. */
export function webhookView(workflow: Workflow, host: string) {
  const url = `${host}/flow/webhook/${workflow.webhookToken}`
  const isUrl = workflow.webhookAuthType === 'url'
  const isSigned = workflow.webhookAuthType === 'signed'
  return {
    webhook_token: workflow.webhookToken,
    webhook_secret: workflow.webhookSecret,
    webhook_enabled: workflow.webhookEnabled,
    webhook_auth_type: workflow.webhookAuthType,
    webhook_url: url,
    webhook_url_with_symbol: `${url}/{symbol}`,
    webhook_url_with_secret: isUrl ? `${url}?secret=${workflow.webhookSecret}` : null,
    webhook_signing_secret: isSigned
      ? `whsec_${signingKey(workflow.webhookSecret).toString('base64')}`
      : null,
  }
}

/**
 * Returns the warnings in the answer to a change or an activation: the problems for which an activation would be refused,
 * and fields that are written without a value.
 */
export function warningsOf({ graph }: Pick<Workflow, 'graph'>): { warnings?: readonly Problem[] } {
  const warnings = [...readinessProblems(graph), ...blankProblems(graph)]
  return warnings.length > 0 ? { warnings } : {}
}

/** Returns the error body for a graph that was refused. */
export function invalidBody(error: string, problems: readonly Problem[], prefix = '') {
  return { error, message: `${prefix}${problems[0]?.message ?? error}`, errors: problems }
}
