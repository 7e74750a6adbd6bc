import { istDate } from '../time/index.js'
import type { Book } from './book.js'
import type { Decision } from './execution.js'
import type { SandboxJobMark } from './schema.js'

/** Notes that a job's due moment (now, when none is given) has been dealt with, beside what that changed. */
export function markJob(
  book: Book,
  job: string,
  { changes, now }: Decision,
  { slot, dueAt }: Pick<SandboxJobMark, 'slot' | 'dueAt'> = { slot: istDate(now), dueAt: now },
): void {
  const mark: SandboxJobMark = { job, slot, dueAt, ranAt: now }
  book.jobs.set(job, mark)
  changes.jobs.add(mark)
}
