import { StatusLine } from '../components/StatusLine.js'
import { countAndValue } from './queue.js'
import type { Approvals } from './use-approvals.js'

/** The line that says where an approved order goes, and whether the rows below are current. */
export function Header({ approvals, width }: { approvals: Approvals; width: number }) {
  const waiting = approvals.rows.filter(({ status }) => status === 'pending')
  const summary = `${waiting.length === 0 ? 'no order' : countAndValue(waiting)} waiting`
  return <StatusLine {...{ live: approvals, summary, width, now: approvals.now }} />
}
