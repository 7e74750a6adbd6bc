import { istDate } from '../../time/index.js'
import type { Decision } from '../engine/execution.js'
import type { SandboxState } from '../engine/state.js'
import type { SandboxJobMark } from '../schema.js'

/** Records that a job's due moment (by default: now) is done, in the same decision as the job's effects. */
export function markJob(
  state: SandboxState,
  job: string,
  { changes, now }: Decision,
  { slot, dueAt }: Pick<SandboxJobMark, 'slot' | 'dueAt'> = { slot: istDate(now), dueAt: now },
): void {
  const mark: SandboxJobMark = { job, slot, dueAt, ranAt: now }
  state.jobs.set(job, mark)
  changes.jobs.add(mark)
}

/**
 * Takes back the marks of a job that the clock wrote while it ran ahead, so that the moments after the latest one run again.
 * @param latest the latest moment until now, which counts as done
 */
export function rewindJob(
  state: SandboxState,
  job: string,
  decision: Decision,
  latest: Pick<SandboxJobMark, 'slot' | 'dueAt'> | undefined,
): void {
  state.jobs.delete(job)
  decision.changes.rewound.set(job, latest?.dueAt ?? decision.now)
  if (latest) markJob(state, job, decision, latest)
}
