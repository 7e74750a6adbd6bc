import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { instantOf } from '../../output/cells.js'
import { ageText } from '../../output/duration.js'
import type { Column, ListView } from '../../output/output.js'
import { allPages, type Wanted } from '../history.js'

export const STATUSES = ['pending', 'approved', 'rejected', 'all'] as const

type Approval = RouteAnswer<'GET /action-center/api/data'>['data']['orders'][number]
interface QueueQuery extends Partial<Wanted> {
  status: string
  /** Only rows older than this id. */
  before?: number
}

/** Returns the daemon's queue, newest first: all pages, unless the query has a limit. */
export async function readQueue(context: Context, query: QueueQuery): Promise<readonly Approval[]> {
  const { limit, before: first, ...wanted } = query
  return allPages(limit, async (size, before) => {
    const page = { ...wanted, limit: size, before: before ?? first }
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
  throw new CliError(EXIT.notFound, `There is no approval ${id}.`, {
    code: 'not_found',
    hint: 'See: svc approval list --status all',
  })
}

const COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'age', human: true },
  { key: 'strategy', leaves: 5 },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 7 },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'price_type', title: 'TYPE', leaves: 2 },
  { key: 'price', kind: 'price', leaves: 1 },
  { key: 'last_price', title: 'LAST', kind: 'money', leaves: 4 },
  { key: 'value', title: 'VALUE ₹', kind: 'money' },
  { key: 'queued_mode', title: 'QUEUED IN', leaves: 9 },
  { key: 'status', kind: 'status', leaves: 6 },
  { key: 'product_type', title: 'PRODUCT', wide: true },
  { key: 'trigger_price', title: 'TRIGGER', kind: 'price', wide: true },
] as const satisfies readonly Column[]

/** The column of smart orders, whose own quantity says nothing about the size of the trade. */
const TRADE = { key: 'trade', title: 'TRADES NOW', human: true } as const satisfies Column

/** The queue as a list; a terminal also shows age and value, which the API does not send. */
export function queueView(context: Context, rows: readonly Approval[]): ListView<ShownApproval> {
  const shown = rows.map((row) => withAge(row, context.io.now()))
  const columns = shown.some(({ trade }) => trade !== undefined) ? [...COLUMNS, TRADE] : COLUMNS
  return { rows: shown, columns, id: 'id', empty: 'No order waits for approval.' }
}

/** Returns the row with the fields that only a person sees, beside the API's own fields. */
export type ShownApproval = Approval & {
  age?: string | null
  value?: number | null
  /** The trade that a smart order would make now. */
  trade?: string
}

function withAge(row: Approval, now: number): ShownApproval {
  const created = instantOf(row.created_at_ist)
  const trade = tradeOf(row)
  return {
    ...row,
    age: created === undefined ? null : ageText(now - created),
    value: orderValue(row),
    ...(trade !== null && { trade }),
  }
}

/** Returns the trade that a smart order would make now, such as "close 16"; null for other orders. */
export function tradeOf({ position_now: held, raw_order_data: request }: Approval): string | null {
  if (held === undefined) return null
  const target = Number(request.position_size)
  if (!Number.isFinite(target)) return null
  const quantity = Math.abs(target - held)
  if (quantity === 0) return null
  if (target === 0) return `close ${quantity}`
  return `${target > held ? 'BUY' : 'SELL'} ${quantity}`
}

/** Returns quantity times price: the order's own price, otherwise the current one or the one at queueing. */
function orderValue({
  price: named,
  last_price: last,
  created_ltp: then,
  quantity,
}: Approval): number | null {
  const price = Number(named) || last || then
  return price && quantity ? price * quantity : null
}
