import type { AuditRow } from '../../core/audit/schema.js'
import type { RunningService } from '../daemon.js'
import { addRequest, isAnswered } from './requests.js'
import type { Timeline } from './timeline.js'

type Source = Pick<RunningService, 'approvals' | 'audit' | 'requests'>
export type ApprovalRow = NonNullable<Awaited<ReturnType<RunningService['approvals']['record']>>>

/** Adds a request that waited for approval: its queueing, the decision, and the end of its execution. */
export async function addApproval(service: Source, timeline: Timeline, row: ApprovalRow): Promise<void> {
  if (!timeline.isNew('approval', row.id)) return
  const id = String(row.id)
  for (const asked of await service.requests.ofApproval(row.id)) addRequest(timeline, asked)
  const acts = await service.audit.about([id], 'approval')
  const decisive = acts.findLast(({ act, outcome }) => DECIDES.has(act) && outcome !== 'refused')
  if (decisive) timeline.isNew('act', decisive.seq)
  const head = { kind: 'approval' as const, id }
  timeline.add(
    { ...head, at: row.createdAt, what: `${row.operation} waits for approval` },
    { by: row.userId, mode: row.queuedMode, state: 'pending' },
  )
  const audit = decisive?.seq ?? null
  if (row.rejectedAt !== null) {
    timeline.add(
      { ...head, at: row.rejectedAt, what: 'Approval refused' },
      { by: row.rejectedBy, state: 'rejected', words: row.rejectedReason, audit },
    )
  } else if (row.approvedAt !== null) {
    const end = row.execution === null ? '' : `; its execution is ${row.execution.replace('_', ' ')}`
    timeline.add(
      { ...head, at: row.approvedAt, what: `Approved${end}` },
      { by: row.approvedBy, state: 'approved', words: row.executionError, audit },
    )
  }
  for (const act of acts) timeline.addAct(act, await refusalOf(service, act))
}

/** Returns the words with which a decision was refused; undefined if it was not, or nothing is kept of its request. */
async function refusalOf(
  { requests }: Source,
  { outcome, requestId }: AuditRow,
): Promise<string | undefined> {
  if (outcome !== 'refused' || requestId === null) return undefined
  const asked = (await requests.ofRequest(requestId)).find(isAnswered)
  return asked?.message ?? undefined
}

const DECIDES: ReadonlySet<string> = new Set(['approval.approve', 'approval.reject'])
