import {
  byFileKey,
  type ExpectedVersions,
  expectedOf,
  exportKey,
  isSameFile,
  type Located,
  located,
  movedFaults,
  type StoredVersion,
  unexpectedVersions,
} from '../documents/index.js'
import { ServiceError } from '../errors/index.js'
import { mapInTurns, type Pace } from '../time/index.js'
import { istIso } from './engine/run-log.js'
import { type Change, contentHash, diff, readinessProblems } from './files/index.js'
import { checkedContent, isGraph } from './graph/content.js'
import type { FlowGraph, Problem } from './graph/graph.js'
import { migrateNodes } from './graph/migrate.js'
import { nameProblems, validateGraph } from './graph/validate.js'
import type { ChangeSource, Workflow, WorkflowContent } from './schema.js'
import type { CurrentVersion } from './store.js'
import { sameTrigger } from './triggers/index.js'
import { isDrifted } from './views.js'
import type { Workflows } from './workflows.js'

/** The content of a workflow file, before validation. */
export interface DesiredWorkflow {
  /** The identity of the workflow across files and machines. */
  key: string
  /** The ids that the file had before. */
  moved?: readonly string[] | undefined
  file?: string | undefined
  name: unknown
  description: unknown
  nodes: unknown
  edges: unknown
}

interface Desired extends WorkflowContent {
  key: string
  moved: readonly string[]
  file: string | undefined
}

export interface ApplyRequest {
  workflows: readonly DesiredWorkflow[]
  /** Remove workflows that were applied from a file and are in none of these files. */
  prune: boolean
  /** Activate the workflows that are inactive. */
  activate: boolean
  /** These are all files, so every other workflow that was applied from a file has none any more. */
  complete?: boolean | undefined
  commit?: string | undefined
  /** The versions that the caller has seen: with another one, nothing is changed. */
  expect?: ExpectedVersions | undefined
  /** Whether each workflow was active when the caller saw it: otherwise nothing is changed. */
  expect_active?: Readonly<Record<string, boolean>> | undefined
  /** Of a plan: refuse what applying it would refuse. */
  applicable?: boolean | undefined
}

/** The change that applying the files would make to one workflow. */
export interface PlannedChange {
  key: string
  name: string
  /** `orphan`: the workflow was applied from a file, and has none any more. It stays as it is. */
  action: 'create' | 'update' | 'delete' | 'none' | 'orphan'
  /** The earlier id under which the workflow is stored now. It gets the new one, and keeps everything else. */
  moved_from: string | null
  workflow_id: number | null
  /** True if somebody changed the workflow by hand since it was last applied. */
  drifted: boolean
  /** True if the workflow is active now. */
  is_active: boolean
  /** True if it is inactive now and was active before: somebody deactivated it, or its trigger ended. */
  was_active: boolean
  /** True if the change is of its trigger, which is registered again. */
  trigger_changed: boolean
  /** The version that is stored now; null for a new workflow. */
  stored: StoredVersion | null
  /** A workflow that is not from a file and has the name of the new one. */
  namesake: { workflow_id: number; is_active: boolean } | null
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

/** What a plan is made from: the workflows, and where the current version of each came from. */
interface PlanSources {
  workflows: Workflows
  versions: ReadonlyMap<number, CurrentVersion>
  /** The user who plans. */
  by: string
  /** Lets others go first between the files. */
  pace: Pace
}

/** The stored workflows by the id of their files, and those of the files that are compared. */
interface Known {
  stored: ReadonlyMap<string, Workflow>
  located: ReadonlyMap<string, Located<Workflow>>
}

interface ApplyActions {
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
 * `validation`; of a plan that is to be applicable, what {@link applyFiles} would throw
 */
export async function planFiles(
  sources: PlanSources,
  request: ApplyRequest,
  acts: Pick<ApplyActions, 'assertArmable'>,
): Promise<PlannedChange[]> {
  const desiredWorkflows = await checked(request.workflows, sources.pace)
  const known = knownFor(sources, desiredWorkflows)
  if (request.applicable) await assertApplicable(sources, known, desiredWorkflows, request, acts)
  return planOf(sources, desiredWorkflows, known, request)
}

function knownFor({ workflows }: PlanSources, desiredWorkflows: readonly Desired[]): Known {
  const stored = byFileKey(workflows.list(), (one) => exportKey(one, 'workflow'))
  return { stored, located: located(desiredWorkflows, stored) }
}

async function planOf(
  sources: PlanSources,
  desiredWorkflows: readonly Desired[],
  known: Known,
  { complete, prune }: ApplyRequest,
): Promise<PlannedChange[]> {
  const { pace } = sources
  const planned = await mapInTurns(desiredWorkflows, pace, (desired) => plannedFor(sources, known, desired))
  const surplus = await mapInTurns(surplusOf(sources, known), pace, (one) =>
    plannedSurplus(sources, one, prune ? 'delete' : 'orphan'),
  )
  if (prune || complete) return [...planned, ...surplus]
  // Some files of many: a workflow has surely lost its file if that file now has another id.
  const isMoved = await mapInTurns(surplus, pace, ({ stored }) =>
    desiredWorkflows.some(({ file }) => file !== undefined && isSameFile(stored?.file ?? '', file)),
  )
  return [...planned, ...surplus.filter((_, index) => isMoved[index])]
}

/**
 * Applies workflow files. Validates all of them before the first change; then each workflow changes
 * completely or not at all. Ids, webhooks, API keys and history stay.
 */
export async function applyFiles(
  sources: PlanSources,
  request: ApplyRequest,
  acts: ApplyActions,
): Promise<AppliedChange[]> {
  const { pace } = sources
  const desiredWorkflows = await checked(request.workflows, pace)
  const known = knownFor(sources, desiredWorkflows)
  await assertApplicable(sources, known, desiredWorkflows, request, acts)
  const plan = await planOf(sources, desiredWorkflows, known, request)
  const applied: AppliedChange[] = []
  for (const [index, desired] of desiredWorkflows.entries()) {
    const planned = plan[index]
    if (planned) applied.push(await applyOne(sources, desired, planned, request, acts))
  }
  const surplus = plan.slice(desiredWorkflows.length)
  const removed = surplus.filter(({ action }) => action === 'delete')
  await acts.discard(removed.flatMap(({ workflow_id }) => (workflow_id === null ? [] : [workflow_id])))
  return [
    ...applied,
    ...surplus.map((row) => ({
      ...row,
      version: row.action === 'delete' ? null : (row.stored?.version ?? null),
      needs_reactivate: false,
      activated: false,
    })),
  ]
}

/** @throws ServiceError `conflict` if a workflow is not as the caller has seen it */
function refuseSurprises(
  sources: PlanSources,
  known: Known,
  { expect, expect_active: seenActive = {}, prune }: ApplyRequest,
): void {
  const workflowOf = (key: string) => known.located.get(key)?.before ?? known.stored.get(key)
  const deleted = prune ? surplusOf(sources, known).flatMap(({ fileKey }) => fileKey ?? []) : []
  const surprises = [
    ...unexpectedVersions(expectedOf(expect, deleted), (key) => workflowOf(key)?.version),
    ...Object.entries(seenActive).flatMap(([key, wasActive]) => {
      const isActive = workflowOf(key)?.isActive ?? false
      return isActive === wasActive ? [] : [`${key} is ${isActive ? 'active' : 'inactive'} now`]
    }),
  ]
  if (surprises.length > 0) throw new ServiceError('conflict', `Nothing was applied: ${surprises.join(', ')}`)
}

async function applyOne(
  { workflows, by }: PlanSources,
  desired: Desired,
  planned: PlannedChange,
  { activate, commit }: ApplyRequest,
  { put, activate: switchOn }: ApplyActions,
): Promise<AppliedChange> {
  const { key, file, name, description, graph } = desired
  const content = { name, description, graph }
  const source: ChangeSource = { by, origin: 'apply', file, commit }
  const state = { fileKey: key, appliedHash: contentHash(content) }
  const before = planned.workflow_id === null ? undefined : workflows.get(planned.workflow_id)
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

function plannedFor(sources: PlanSources, known: Known, desired: Desired): PlannedChange {
  const { key, name } = desired
  const { before, movedFrom = null } = known.located.get(key) ?? {}
  if (!before) return plannedCreation(sources.workflows, desired)
  const changes = diff(before, desired)
  return {
    ...factsOf(sources, before),
    key,
    name,
    action: changes.length > 0 || movedFrom !== null ? 'update' : 'none',
    moved_from: movedFrom,
    trigger_changed: changes.length > 0 && !sameTrigger(before.graph, desired.graph),
    changes,
  }
}

function plannedCreation(workflows: Workflows, { key, name }: Desired): PlannedChange {
  const other = workflows.list().find((one) => one.fileKey === null && one.name === name)
  return {
    key,
    name,
    action: 'create',
    moved_from: null,
    workflow_id: null,
    drifted: false,
    is_active: false,
    was_active: false,
    trigger_changed: false,
    stored: null,
    namesake: other ? { workflow_id: other.id, is_active: other.isActive } : null,
    changes: [],
  }
}

/** Returns the workflows that were applied from files and have none of these. */
function surplusOf({ workflows }: PlanSources, { located: found }: Known): Workflow[] {
  const kept = new Set([...found.values()].map(({ before }) => before?.id))
  return workflows.list().filter(({ fileKey, id }) => fileKey !== null && !kept.has(id))
}

function plannedSurplus(sources: PlanSources, workflow: Workflow, action: 'delete' | 'orphan') {
  const { fileKey, name } = workflow
  const rest = { moved_from: null, trigger_changed: false, changes: [] }
  return { ...factsOf(sources, workflow), key: fileKey ?? '', name, action, ...rest }
}

function factsOf({ versions, by }: PlanSources, workflow: Workflow) {
  const current = versions.get(workflow.id)
  return {
    workflow_id: workflow.id,
    drifted: isDrifted(workflow),
    is_active: workflow.isActive,
    was_active: !workflow.isActive && workflow.activatedAt !== null,
    stored: current ? storedVersion(current, by) : null,
    namesake: null,
  }
}

function storedVersion(
  { version, at, by, origin, rolledBackTo, file, commit }: CurrentVersion,
  caller: string,
): StoredVersion {
  const words = { by, by_you: by === caller, origin, rolled_back_to: rolledBackTo }
  return { version, at: istIso(at), ...words, file, commit }
}

/** Validates all files: one faulty file prevents every change. @throws ServiceError `validation` */
async function checked(desired: readonly DesiredWorkflow[], pace: Pace): Promise<Desired[]> {
  const seen = new Set<string>()
  const errors: FileProblem[] = []
  const checkedWorkflows = await mapInTurns(
    desired,
    pace,
    ({ key, moved = [], file, name, description, nodes, edges }) => {
      const graph = { nodes: migrateNodes(nodes).nodes, edges }
      if (seen.has(key)) {
        errors.push({ key, path: '', code: 'duplicate', message: `Two files have the same id '${key}'` })
      }
      seen.add(key)
      const faults = [...nameProblems(name), ...validateGraph(graph, { strict: true })]
      const unready = faults.length === 0 && isGraph(graph) ? readinessProblems(graph) : []
      for (const problem of [...faults, ...unready]) errors.push({ key, ...problem })
      return () => ({ key, moved, file, ...checkedContent(name, description, graph) })
    },
  )
  for (const { file, message } of movedFaults(
    desired.map(({ key, moved = [], file }) => ({ key, moved, file })),
  )) {
    errors.push({ key: file.key, path: 'moved', code: 'duplicate', message })
  }
  if (errors.length > 0) throw invalidFiles(errors)
  return checkedWorkflows.map((content) => content())
}

/**
 * Checks what the caller has seen, and every workflow that would be activated or whose new trigger would be registered.
 * @throws ServiceError `conflict`, `validation`
 */
async function assertApplicable(
  sources: PlanSources,
  known: Known,
  desiredWorkflows: readonly Desired[],
  request: ApplyRequest,
  { assertArmable }: Pick<ApplyActions, 'assertArmable'>,
): Promise<void> {
  refuseSurprises(sources, known, request)
  if (!request.activate) return
  const errors = await mapInTurns(desiredWorkflows, sources.pace, ({ key, graph }): FileProblem[] => {
    const before = known.located.get(key)?.before
    if (before?.isActive && sameTrigger(before.graph, graph)) return []
    try {
      assertArmable(graph)
      return []
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return [{ key, path: '', code: 'invalid_schedule', message: error.message }]
    }
  })
  if (errors.flat().length > 0) throw invalidFiles(errors.flat())
}

function invalidFiles(errors: readonly FileProblem[]): ServiceError {
  const message = errors.map(({ key, message }) => `${key}: ${message}`)[0] ?? ''
  return new ServiceError('validation', message, { extra: { error: 'Invalid workflow files', errors } })
}
