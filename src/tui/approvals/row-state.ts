import { type ShownApproval, withAge } from '../../cli/commands/approval/row.js'
import type { Progress } from './decisions.js'
import type { Approval } from './queue.js'

/** A row of the screen: the order, and where its decision stands. */
export type ScreenRow = ShownApproval & {
  /** In a few words, for the table. */
  state: string
  /** With reason, error and order id. */
  outcome: string
}

export function screenRow(row: Approval, progress: Progress | undefined, now: number): ScreenRow {
  const { state, detail } = standing(row, progress)
  return { ...withAge(row, now), state, outcome: detail === '' ? state : `${state}: ${detail}` }
}

interface Standing {
  state: string
  detail: string
}

/** Returns where an order stands: the daemon's facts first, then this screen's own decision. */
function standing(row: Approval, progress: Progress | undefined): Standing {
  if (row.status === 'rejected') {
    return { state: `rejected by ${row.rejected_by}`, detail: row.rejected_reason ?? '' }
  }
  if (row.status === 'approved') {
    const order = row.broker_order_id === null ? '' : `order ${row.broker_order_id}`
    return { state: `${executionOf(row)} by ${row.approved_by}`, detail: row.execution_error || order }
  }
  if (progress === undefined || progress.step === 'done') return { state: 'pending', detail: '' }
  if (progress.step === 'refused') return { state: 'pending, refused', detail: progress.text }
  return progress.step === 'in_doubt'
    ? { state: 'in doubt', detail: progress.text }
    : { state: progress.text, detail: '' }
}

/** Returns who decided an order, and when; undefined while it is pending. */
export function decisionOf(row: Approval): string | undefined {
  if (row.status === 'pending') return undefined
  const [by, at] =
    row.status === 'approved'
      ? [row.approved_by, row.approved_at_ist]
      : [row.rejected_by, row.rejected_at_ist]
  return `${row.status} by ${by} at ${at}`
}

function executionOf({ execution }: Approval): string {
  if (execution === 'executing') return 'executing, approved'
  if (execution === 'in_doubt') return 'in doubt, approved'
  return execution === 'failed' ? 'failed, approved' : 'approved'
}
