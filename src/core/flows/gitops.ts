import { ServiceError } from '../errors/index.js'
import { type Change, contentHash, diff, readinessProblems } from './files/index.js'
import { checkedContent, isGraph } from './graph/content.js'
import type { FlowGraph, Problem } from './graph/graph.js'
import { migrateNodes } from './graph/migrate.js'
import { nameProblems, validateGraph } from './graph/validate.js'
import type { ChangeSource, Workflow, WorkflowContent } from './schema.js'
import { sameTrigger } from './triggers/index.js'
import type { Workflows } from './workflows.js'

/** The content of a workflow file, before validation. */
export interface DesiredWorkflow {
  /** The identity of the workflow across files and machines. */
  key: string
  file?: string | undefined
  name: unknown
  description: unknown
  nodes: unknown
  edges: unknown
}

interface Desired extends WorkflowContent {
  key: string
  file: string | undefined
}

export interface ApplyRequest {
  workflows: readonly DesiredWorkflow[]
  /** Remove workflows that were applied from a file and are in none of these files. */
  prune: boolean
  /** Activate the workflows that are inactive. */
  activate: boolean
  commit?: string | undefined
}

/** The change that applying the files would make to one workflow. */
export interface PlannedChange {
  key: string
  name: string
  action: 'create' | 'update' | 'delete' | 'none'
  workflow_id: number | null
  /** True if somebody changed the workflow by hand since it was last applied. */
  drifted: boolean
  /** True if the workflow is active now. */
  is_active: boolean
  /** True if the change is of its trigger, which is registered again. */
  trigger_changed: boolean
  changes: Change[]
}

/** The change that applying the files made to one workflow. */
export interface AppliedChange extends PlannedChange {
  version: number | null
  /** True if its trigger changed and could not be registered: the workflow is now inactive. */
  needs_reactivate: boolean
  activated: boolean
}

type FileProblem = Problem & { key: string }

interface ApplyActions {
  by: string
  put(
    workflow: Workflow,
    content: WorkflowContent,
    source: ChangeSource,
    state: Partial<Pick<Workflow, 'fileKey' | 'appliedHash'>>,
  ): Promise<{ workflow: Workflow; needsReactivate: boolean }>
  activate(id: number): Promise<string | undefined>
  /** @throws ServiceError if a workflow with this graph could not be activated now */
  assertArmable(graph: FlowGraph): void
  discard(ids: readonly number[]): Promise<void>
}

/**
 * Returns the differences between the files and the stored workflows. Changes nothing. @throws ServiceError
 * `validation`
 */
export function planFiles(workflows: Workflows, request: ApplyRequest): PlannedChange[] {
  return planOf(workflows, checked(request.workflows), request)
}

function planOf(workflows: Workflows, wanted: readonly Desired[], { prune }: ApplyRequest): PlannedChange[] {
  const planned = wanted.map((desired) => plannedFor(workflows.byFile(desired.key), desired))
  if (!prune) return planned
  return [...planned, ...surplus(workflows, wanted).map(plannedRemoval)]
}

/**
 * Applies workflow files. Validates all of them before the first change; then each workflow changes
 * completely or not at all. Ids, webhooks, API keys and history stay.
 */
export async function applyFiles(
  workflows: Workflows,
  request: ApplyRequest,
  acts: ApplyActions,
): Promise<AppliedChange[]> {
  const wanted = checked(request.workflows)
  if (request.activate) assertAllArmable(workflows, wanted, acts)
  const plan = planOf(workflows, wanted, request)
  const applied: AppliedChange[] = []
  for (const [index, desired] of wanted.entries()) {
    const planned = plan[index]
    if (planned) applied.push(await applyOne(workflows, desired, planned, request, acts))
  }
  const removals = plan.slice(wanted.length)
  await acts.discard(removals.flatMap(({ workflow_id }) => (workflow_id === null ? [] : [workflow_id])))
  return [
    ...applied,
    ...removals.map((removal) => ({ ...removal, version: null, needs_reactivate: false, activated: false })),
  ]
}

async function applyOne(
  workflows: Workflows,
  desired: Desired,
  planned: PlannedChange,
  { activate, commit }: ApplyRequest,
  { by, put, activate: switchOn }: ApplyActions,
): Promise<AppliedChange> {
  const { key, file, name, description, graph } = desired
  const content = { name, description, graph }
  const source: ChangeSource = { by, origin: 'apply', file, commit }
  const state = { fileKey: key, appliedHash: contentHash(content) }
  const before = workflows.byFile(key)
  const created = before ?? (await workflows.create(content, source, state))
  const outcome =
    before && (planned.action === 'update' || before.appliedHash !== state.appliedHash)
      ? await put(before, content, source, state)
      : { workflow: created, needsReactivate: false }
  const { id } = outcome.workflow
  const activated = activate && (await switchOn(id)) !== undefined
  return {
    ...planned,
    workflow_id: id,
    version: workflows.get(id).version,
    needs_reactivate: outcome.needsReactivate && !activated,
    activated,
  }
}

function plannedFor(before: Workflow | undefined, desired: Desired): PlannedChange {
  const { key, name } = desired
  if (!before) {
    const isNew = { workflow_id: null, drifted: false, is_active: false, trigger_changed: false }
    return { key, name, action: 'create', ...isNew, changes: [] }
  }
  const changes = diff(before, desired)
  return {
    key,
    name,
    action: changes.length > 0 ? 'update' : 'none',
    workflow_id: before.id,
    drifted: before.appliedHash !== before.contentHash,
    is_active: before.isActive,
    trigger_changed: changes.length > 0 && !sameTrigger(before.graph, desired.graph),
    changes,
  }
}

function surplus(workflows: Workflows, wanted: readonly Desired[]): Workflow[] {
  const keys = new Set(wanted.map(({ key }) => key))
  return workflows.list().filter(({ fileKey }) => fileKey !== null && !keys.has(fileKey))
}

function plannedRemoval(workflow: Workflow): PlannedChange {
  return {
    key: workflow.fileKey ?? '',
    name: workflow.name,
    action: 'delete',
    workflow_id: workflow.id,
    drifted: workflow.appliedHash !== workflow.contentHash,
    is_active: workflow.isActive,
    trigger_changed: false,
    changes: [],
  }
}

/** Validates all files: one faulty file prevents every change. @throws ServiceError `validation` */
function checked(desired: readonly DesiredWorkflow[]): Desired[] {
  const seen = new Set<string>()
  const errors: FileProblem[] = []
  const wanted = desired.map(({ key, file, name, description, nodes, edges }) => {
    const graph = { nodes: migrateNodes(nodes).nodes, edges }
    if (seen.has(key)) {
      errors.push({ key, path: '', code: 'duplicate', message: `Two files have the same id '${key}'` })
    }
    seen.add(key)
    const faults = [...nameProblems(name), ...validateGraph(graph, { strict: true })]
    const unready = faults.length === 0 && isGraph(graph) ? readinessProblems(graph) : []
    for (const problem of [...faults, ...unready]) errors.push({ key, ...problem })
    return () => ({ key, file, ...checkedContent(name, description, graph) })
  })
  if (errors.length > 0) throw invalidFiles(errors)
  return wanted.map((content) => content())
}

/**
 * Checks every workflow that would be activated, or whose new trigger would be registered.
 * @throws ServiceError `validation`
 */
function assertAllArmable(
  workflows: Workflows,
  wanted: readonly Desired[],
  { assertArmable }: ApplyActions,
): void {
  const errors = wanted.flatMap(({ key, graph }): FileProblem[] => {
    const before = workflows.byFile(key)
    if (before?.isActive && sameTrigger(before.graph, graph)) return []
    try {
      assertArmable(graph)
      return []
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return [{ key, path: '', code: 'invalid_schedule', message: error.message }]
    }
  })
  if (errors.length > 0) throw invalidFiles(errors)
}

function invalidFiles(errors: readonly FileProblem[]): ServiceError {
  const message = errors.map(({ key, message }) => `${key}: ${message}`)[0] ?? ''
  return new ServiceError('validation', message, { extra: { error: 'Invalid workflow files', errors } })
}
