import { crashPoint, ServiceError } from '../errors/index.js'
import type { SecretBox } from '../secrets/index.js'
import type { Clock } from '../time/index.js'
import type { Activation } from './activation.js'
import { type Executor, problemsOf } from './engine/executor.js'
import { addedProblems, readinessProblems } from './files/index.js'
import { invalidGraph } from './graph/content.js'
import type { FlowGraph, Problem } from './graph/graph.js'
import type { ChangeSource, Workflow, WorkflowContent } from './schema.js'
import { sameTrigger, triggerNodeOf } from './triggers/index.js'
import type { Workflows } from './workflows.js'

const DELETED = 'The workflow was deleted'
const INACTIVE = { isActive: false, scheduleJobId: null }

/** The user of a request, and the API key their runs use; undefined if they have none. */
export interface Caller {
  username: string
  apiKey: string | undefined
}

interface WorkflowActivatorParts {
  workflows: Workflows
  activation: Activation
  executor: Executor
  box: SecretBox
  clock: Clock
}

/**
 * Keeps registered triggers and stored workflows consistent. Calls must not overlap. Each call stores first,
 * so after a crash the next start registers the triggers that were stored.
 */
export class WorkflowActivator {
  readonly #parts: WorkflowActivatorParts

  constructor(parts: WorkflowActivatorParts) {
    this.#parts = parts
  }

  /** Activates a workflow. @returns the type of its trigger, or undefined if it was already active */
  async activate(id: number, caller: Caller): Promise<string | undefined> {
    const { workflows } = this.#parts
    const workflow = workflows.get(id)
    if (workflow.isActive) return undefined
    const state = this.#activeState(workflow, caller)
    crashPoint('flows.enable.beforeCommit')
    const active = await workflows.setState(id, state)
    crashPoint('flows.enable.afterCommit')
    await this.#arm(active, workflow)
    return triggerNodeOf(workflow.graph)?.type ?? ''
  }

  /** Deactivates a workflow. @returns whether it was active */
  async deactivate(id: number): Promise<boolean> {
    const { activation, workflows } = this.#parts
    if (!workflows.get(id).isActive) return false
    await workflows.setState(id, INACTIVE)
    activation.disarm(id)
    return true
  }

  /**
   * Stores new content. If the trigger of an active workflow changed, also registers the new one with the
   * caller's API key. Content and state change in one transaction: after a crash the workflow is active with
   * the old trigger or with the new one.
   *
   * @throws ServiceError `validation` if the workflow is active and could not be activated with this content
   * for a reason that is new
   */
  async put(
    before: Workflow,
    content: WorkflowContent,
    source: ChangeSource,
    caller: Caller,
    state: Partial<Pick<Workflow, 'fileKey' | 'appliedHash'>> = {},
  ): Promise<{ workflow: Workflow; needsReactivate: boolean }> {
    const { activation, workflows } = this.#parts
    const { id } = before
    if (before.isActive) assertStillReady(before.graph, content.graph)
    if (!before.isActive || sameTrigger(before.graph, content.graph)) {
      return { workflow: await workflows.change(id, content, source, state), needsReactivate: false }
    }
    const active = orUndefined(() => this.#activeState({ id, graph: content.graph }, caller))
    const changed = { ...state, ...(active ?? INACTIVE) }
    const workflow = await workflows.change(id, content, source, changed)
    crashPoint('flows.enable.afterCommit')
    activation.disarm(id)
    if (!active) return { workflow, needsReactivate: true }
    try {
      await this.#arm(workflow, before)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { workflow: workflows.get(id), needsReactivate: true }
    }
    return { workflow, needsReactivate: false }
  }

  /** Cancels running runs, unregisters the triggers and removes the workflows with their history. */
  async discard(ids: readonly number[]): Promise<void> {
    const { activation, executor, workflows } = this.#parts
    for (const id of ids) {
      activation.disarm(id)
      await executor.end(id, DELETED)
    }
    await workflows.remove(ids)
    // A run may have begun while the workflows were being removed. No run can begin after this point.
    for (const id of ids) await executor.end(id, DELETED)
  }

  /** @throws ServiceError `validation` if the caller could not activate a workflow with this graph */
  check(graph: FlowGraph, caller: Caller): void {
    requireKey(caller)
    this.#parts.activation.check({ graph })
  }

  /**
   * Returns the stored state of an active workflow. @throws ServiceError `validation` if it cannot be
   * activated
   */
  #activeState({ id, graph }: Pick<Workflow, 'id' | 'graph'>, caller: Caller) {
    const { activation, box, clock } = this.#parts
    const apiKey = requireKey(caller)
    const problems = startProblems(graph)
    if (problems.length > 0) throw invalidGraph('Workflow cannot be activated', problems)
    armable(() => activation.check({ graph }))
    return {
      isActive: true,
      sealedKey: box.seal(apiKey),
      activatedAt: clock.now(),
      scheduleJobId: activation.isScheduled({ graph }) ? `flow_workflow_${id}` : null,
    }
  }

  /**
   * Registers the trigger of a workflow. On failure, deactivates the workflow and restores its previous API
   * key and the time of its last activation.
   */
  async #arm(active: Workflow, { activatedAt, sealedKey }: Workflow): Promise<void> {
    const { activation, workflows } = this.#parts
    try {
      await activation.arm(active)
    } catch (error) {
      activation.disarm(active.id)
      await workflows.setState(active.id, { ...INACTIVE, activatedAt, sealedKey })
      throw withErrorField(error)
    }
  }
}

/**
 * Refuses a change of an active workflow that an activation would refuse. A fault that the active workflow
 * already has does not stop other changes. @throws ServiceError `validation`
 */
function assertStillReady(before: FlowGraph, after: FlowGraph): void {
  const problems = addedProblems(before, after)
  if (problems.length > 0)
    throw invalidGraph('The workflow is active and cannot be changed to this', problems)
}

/** Returns the problems that keep a graph from being activated, or from being run without being stored. */
export function startProblems(graph: FlowGraph): readonly Problem[] {
  const faults = problemsOf({ graph })
  return faults.length > 0 ? faults : readinessProblems(graph)
}

/** Returns the caller's API key. @throws ServiceError `validation` if there is none */
export function requireKey({ apiKey }: Caller): string {
  if (apiKey !== undefined) return apiKey
  const error = 'API key not configured'
  throw new ServiceError('validation', error, { extra: { error } })
}

function armable(check: () => void): void {
  try {
    check()
  } catch (error) {
    throw withErrorField(error)
  }
}

/** Repeats the message in the field `error`, as all errors of the flow routes do. */
function withErrorField(thrown: unknown): unknown {
  if (!(thrown instanceof ServiceError)) return thrown
  return new ServiceError(thrown.code, thrown.message, { extra: { error: thrown.message } })
}

/** Returns undefined if `make` throws a `ServiceError`. */
function orUndefined<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return undefined
  }
}
