import type { FlowGraph } from './graph/graph.js'

/**
 * How a webhook call shows that its caller knows the secret: in the body (`payload`), in the query (`url`), or by a
 * signature of the body, its time and its id (`signed`).
 */
export const AUTH_TYPES = ['payload', 'url', 'signed'] as const
export type AuthType = (typeof AUTH_TYPES)[number]

/** The triggers of a run. */
export const RUN_TRIGGERS = ['manual', 'schedule', 'webhook', 'price_alert', 'order_update'] as const
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

/** The reason for a new version of a workflow. */
export type VersionOrigin = 'edit' | 'import' | 'replace' | 'apply' | 'rollback'

export const EXECUTION_STATUSES = ['pending', 'running', 'completed', 'failed'] as const
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number]

/** A workflow in memory. Instants are epoch milliseconds. */
export interface Workflow {
  readonly id: number
  readonly name: string
  readonly description: string | null
  readonly graph: FlowGraph
  readonly isActive: boolean
  readonly scheduleJobId: string | null
  readonly webhookToken: string
  readonly webhookSecret: string
  readonly webhookEnabled: boolean
  readonly webhookAuthType: AuthType
  /** The encrypted API key that runs use. */
  readonly sealedKey: string | null
  readonly activatedAt: number | null
  readonly lastScheduledAt: number | null
  readonly version: number
  readonly contentHash: string
  /** The key of the file the workflow is kept in; null if it was made by hand. */
  readonly fileKey: string | null
  readonly appliedHash: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The part of a workflow that its author writes. */
export interface WorkflowContent {
  name: string
  description: string | null
  graph: FlowGraph
}

/** The author of a change, and the file and commit it came from. */
export interface ChangeSource {
  by: string
  origin: VersionOrigin
  file?: string | undefined
  commit?: string | undefined
}
