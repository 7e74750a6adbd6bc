import { allPages } from '../../../client/answers/pages.js'
import {
  APPROVAL_COLUMNS,
  type Approval,
  MIXED_COLUMNS,
  type ShownApproval,
  TRADE_COLUMN,
  withAge,
} from '../../../views/approvals/approval.js'
import type { ListView } from '../../../views/table/column.js'
import type { Context } from '../../framework/context.js'
import { type CliError, noSuch } from '../../framework/errors.js'
import type { RowFilter } from '../history.js'

export const STATUSES = ['pending', 'approved', 'rejected', 'all'] as const

interface QueueQuery extends Partial<RowFilter> {
  status: string
  /** `false` leaves out what may wait for the broker: last prices and present positions. */
  prices?: 'false'
  /** Only rows older than this id. */
  before?: number
}

/** Returns the daemon's queue, newest first: all pages, unless the query has a limit. */
export async function readQueue(context: Context, query: QueueQuery): Promise<readonly Approval[]> {
  const { limit, before: first, ...filter } = query
  return allPages(limit, async (size, before) => {
    const page = { ...filter, limit: size, before: before ?? first }
    const { data } = (await context.read('GET /action-center/api/data', { query: page })).body
    return { rows: data.orders, next: data.next_before?.toString() }
  })
}

/** Returns one approval in any state. @throws CliError when it does not exist */
export async function findApproval(context: Context, id: string): Promise<Approval> {
  // The newest row up to this id is this row, if it exists.
  const before = Number(id) + 1
  const rows = /^\d{1,15}$/.test(id) ? await readQueue(context, { status: 'all', limit: 1, before }) : []
  const row = rows.find((one) => String(one.id) === id)
  if (row) return row
  throw noSuchApproval(id)
}

export const noSuchApproval = (id: string): CliError =>
  noSuch('approval', id, 'svc approval list --status all')

/** The queue as a list; a terminal also shows age and value, which the API does not send. */
export function queueView(
  context: Context,
  rows: readonly Approval[],
  status = 'pending',
): ListView<ShownApproval> {
  const shown = rows.map((row) => withAge(row, context.io.now()))
  const plain = status === 'all' ? MIXED_COLUMNS : APPROVAL_COLUMNS
  const columns = shown.some(({ trade }) => trade !== undefined) ? [...plain, TRADE_COLUMN] : plain
  return { rows: shown, columns, id: 'id', record: 'approval', empty: 'No order waits for approval.' }
}
