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
