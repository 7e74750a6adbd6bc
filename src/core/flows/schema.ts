import type { FlowGraph } from './graph/graph.js'

/** How a webhook tells who calls: `secret` in the body, or in the query. */
export const AUTH_TYPES = ['payload', 'url'] as const
export type AuthType = (typeof AUTH_TYPES)[number]

/** What started a run. */
export const RUN_TRIGGERS = ['manual', 'schedule', 'webhook', 'price_alert', 'order_update'] as const
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

/** Why a version of a workflow came to be. */
export type VersionOrigin = 'edit' | 'import' | 'replace' | 'apply' | 'rollback'

export const EXECUTION_STATUSES = ['pending', 'running', 'completed', 'failed'] as const
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number]

/** A workflow as the service holds it (specification, "Workflow"). Instants are epoch milliseconds. */
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
  /** The key runs act with, encrypted. */
  readonly sealedKey: string | null
  readonly activatedAt: number | null
  readonly lastScheduledAt: number | null
  readonly version: number
  readonly contentHash: string
  /** The identity of the file it is kept in; null when it is kept by hand. */
  readonly fileKey: string | null
  readonly appliedHash: string | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** What an author gives a workflow. */
export interface WorkflowContent {
  name: string
  description: string | null
  graph: FlowGraph
}

/** Who changes a workflow, and out of what. */
export interface ChangeSource {
  by: string
  origin: VersionOrigin
  file?: string | undefined
  commit?: string | undefined
}
