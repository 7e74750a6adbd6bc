import { ServiceError } from '../errors/index.js'
import type { Workflow } from './schema.js'
import { type Trigger, triggerOf } from './triggers/index.js'

/** The active workflows of a restored home that may have run since the backup. */
export interface MayHaveRun {
  /** Workflows whose trigger may fire a second time for the same thing. */
  repeatable: readonly number[]
  /** Workflows with a schedule: its times until now are over. */
  scheduled: readonly number[]
}

/** Returns the active workflows of a restored home that may have run since the backup. */
export function mayHaveRun(workflows: readonly Workflow[], now: number): MayHaveRun {
  const [repeatable, scheduled]: [number[], number[]] = [[], []]
  for (const workflow of workflows) {
    const trigger = workflow.isActive ? readTrigger(workflow) : undefined
    if (trigger === undefined) continue
    if (mayRepeat(trigger, workflow, now)) repeatable.push(workflow.id)
    else if (trigger.kind === 'schedule' && trigger.schedule !== undefined) scheduled.push(workflow.id)
  }
  const inOrder = (ids: number[]) => ids.sort((a, b) => a - b)
  return { repeatable: inOrder(repeatable), scheduled: inOrder(scheduled) }
}

/**
 * Returns whether a trigger may fire for the same thing as before the restore. The row of the run that has spent a one-shot
 * trigger is not in the backup. The comparison with the broker's book reports order updates again, also to a trigger that
 * fires every time.
 */
function mayRepeat(trigger: Trigger, { lastScheduledAt }: Workflow, now: number): boolean {
  if (trigger.kind === 'priceAlert') return trigger.alert.trigger === 'once'
  if (trigger.kind === 'orderUpdate') return true
  if (trigger.kind !== 'schedule' || trigger.schedule?.type !== 'once') return false
  const { at } = trigger.schedule
  return at <= now && (lastScheduledAt ?? Number.NEGATIVE_INFINITY) < at
}

/** Returns the trigger of a workflow; undefined if it cannot be read: it is not registered then. */
function readTrigger(workflow: Workflow): Trigger | undefined {
  try {
    return triggerOf(workflow.graph)
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}
