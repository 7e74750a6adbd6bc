import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { numberOf, type Row, rowOf, rowsOf, textOf } from '../../http/json.js'
import { instantOf } from '../../output/cells.js'
import { ageText } from '../../output/duration.js'
import type { Column, ListView } from '../../output/output.js'

export const STATUSES = ['pending', 'approved', 'rejected', 'all'] as const

/** The queue as the daemon has it, newest first. */
export async function readQueue(context: Context, query: Readonly<Record<string, string>>): Promise<Row[]> {
  const { body } = await context.read(`/action-center/api/data?${new URLSearchParams(query)}`)
  return rowsOf(rowOf(body.data).orders)
}

/** One approval in any state; not found is an error. */
export async function findApproval(context: Context, id: string): Promise<Row> {
  // The newest row that is not newer than this one is this one, if it exists.
  const before = String(Number(id) + 1)
  const rows = /^\d{1,15}$/.test(id) ? await readQueue(context, { status: 'all', limit: '1', before }) : []
  const row = rows.find((one) => textOf(one, 'id') === id)
  if (row) return row
  throw new CliError(EXIT.notFound, `There is no approval ${id}.`, {
    code: 'not_found',
    hint: 'See: svc approval list --status all',
  })
}

const COLUMNS: readonly Column[] = [
  { key: 'id', kind: 'quantity' },
  { key: 'age' },
  { key: 'strategy' },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'price_type', title: 'TYPE' },
  { key: 'price', kind: 'money' },
  { key: 'last_price', title: 'LAST', kind: 'money' },
  { key: 'value', title: 'VALUE ₹', kind: 'money' },
  { key: 'queued_mode', title: 'QUEUED IN' },
  { key: 'status', kind: 'status' },
]

/** The queue as a list; on a terminal with age and value, which the API does not send. */
export function queueView(context: Context, rows: readonly Row[]): ListView {
  const shown = context.settings.format ? rows : rows.map((row) => withAge(row, context.io.now()))
  return { rows: shown, columns: COLUMNS, id: 'id', empty: 'Nothing waits for approval.' }
}

function withAge(row: Row, now: number): Row {
  const created = instantOf(row.created_at_ist ?? row.created_at)
  return {
    ...row,
    age: created === undefined ? null : ageText(now - created),
    price: numberOf(row, 'price') === 0 ? null : row.price,
    value: orderValue(row),
  }
}

/** Quantity times price; the market's, now or when it was queued, when the order itself names none. */
function orderValue(row: Row): number | null {
  const price = numberOf(row, 'price') || numberOf(row, 'last_price') || numberOf(row, 'created_ltp')
  const quantity = numberOf(row, 'quantity')
  return price && quantity ? price * quantity : null
}
