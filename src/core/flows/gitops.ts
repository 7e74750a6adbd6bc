import { ServiceError } from '../errors/index.js'
import { type Change, contentHash, diff } from './files/index.js'
import { checkedContent } from './graph/content.js'
import type { FlowGraph, Problem } from './graph/graph.js'
import { migrateNodes } from './graph/migrate.js'
import { nameProblems, validateGraph } from './graph/validate.js'
import type { ChangeSource, Workflow, WorkflowContent } from './schema.js'
import type { Workflows } from './workflows.js'

/** A workflow as a file has it, before anybody looked at it: what it shall be. */
export interface DesiredWorkflow {
  /** Its identity across files and machines. */
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
  /** Remove those that were applied from a file and are in none of these. */
  prune: boolean
  /** Activate those that are not active. */
  activate: boolean
  commit?: string | undefined
}

/** What applying would do to one workflow. */
export interface PlannedChange {
  key: string
  name: string
  action: 'create' | 'update' | 'delete' | 'none'
  workflow_id: number | null
  /** It was changed by hand since it was last applied. */
  drifted: boolean
  changes: Change[]
}

/** What applying did to it. */
export interface AppliedChange extends PlannedChange {
  version: number | null
  /** Its trigger changed and could not be armed: it is inactive now. */
  needs_reactivate: boolean
  activated: boolean
}

type FileProblem = Problem & { key: string }

interface Acts {
  by: string
  put(
    workflow: Workflow,
    content: WorkflowContent,
    source: ChangeSource,
    state: Partial<Pick<Workflow, 'fileKey' | 'appliedHash'>>,
  ): Promise<{ workflow: Workflow; needsReactivate: boolean }>
  activate(id: number): Promise<string | undefined>
  /** @throws ServiceError when a workflow of this graph could not be activated now */
  assertArmable(graph: FlowGraph): void
  discard(ids: readonly number[]): Promise<void>
}

/** What differs between the files and what is there. Changes nothing. @throws ServiceError `validation` */
export function planFiles(workflows: Workflows, request: ApplyRequest): PlannedChange[] {
  return planOf(workflows, checked(request.workflows), request)
}

function planOf(workflows: Workflows, wanted: readonly Desired[], { prune }: ApplyRequest): PlannedChange[] {
  const planned = wanted.map((desired) => plannedFor(workflows.byFile(desired.key), desired))
  if (!prune) return planned
  return [...planned, ...surplus(workflows, wanted).map(plannedRemoval)]
}

/**
 * Brings the workflows to what the files say. Everything is validated before the first change; each workflow is
 * then changed all or nothing. Ids, webhooks, keys and history stay.
 */
export async function applyFiles(
  workflows: Workflows,
  request: ApplyRequest,
  acts: Acts,
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
  { by, put, activate: switchOn }: Acts,
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
  if (!before) return { key, name, action: 'create', workflow_id: null, drifted: false, changes: [] }
  const changes = diff(before, desired)
  return {
    key,
    name,
    action: changes.length > 0 ? 'update' : 'none',
    workflow_id: before.id,
    drifted: before.appliedHash !== before.contentHash,
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
    changes: [],
  }
}

/** Nothing is applied while anything is wrong with any of the files. @throws ServiceError `validation` */
function checked(desired: readonly DesiredWorkflow[]): Desired[] {
  const seen = new Set<string>()
  const errors: FileProblem[] = []
  const wanted = desired.map(({ key, file, name, description, nodes, edges }) => {
    const graph = { nodes: migrateNodes(nodes).nodes, edges }
    if (seen.has(key)) {
      errors.push({ key, path: '', code: 'duplicate', message: `Two files have the id '${key}'` })
    }
    seen.add(key)
    for (const problem of [...nameProblems(name), ...validateGraph(graph, { strict: true })]) {
      errors.push({ key, ...problem })
    }
    return () => ({ key, file, ...checkedContent(name, description, graph) })
  })
  if (errors.length > 0) throw invalidFiles(errors)
  return wanted.map((content) => content())
}

/** Those that are active stay so; of the others each must be able to become it. @throws ServiceError `validation` */
function assertAllArmable(workflows: Workflows, wanted: readonly Desired[], { assertArmable }: Acts): void {
  const errors = wanted.flatMap(({ key, graph }): FileProblem[] => {
    if (workflows.byFile(key)?.isActive) return []
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
