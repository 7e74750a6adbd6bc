import type { RouteAnswer } from '../../client/endpoints.js'
import { instantOf } from '../table/cells.js'
import type { Column } from '../table/column.js'
import { ageText } from '../text/age.js'

export type Approval = RouteAnswer<'GET /action-center/api/data'>['data']['orders'][number]

/** The columns of the queue, with their ranks in a narrow terminal. */
export const APPROVAL_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'age', human: true },
  { key: 'strategy', leaves: 5 },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 7 },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'price_type', title: 'TYPE', leaves: 2 },
  { key: 'price', kind: 'price', leaves: 1 },
  { key: 'last_price', title: 'LAST', kind: 'price', leaves: 4 },
  { key: 'value', title: 'VALUE ₹', kind: 'money' },
  { key: 'queued_mode', title: 'QUEUED IN', leaves: 9 },
  { key: 'status', kind: 'status', leaves: 6 },
  { key: 'product_type', title: 'PRODUCT', wide: true },
  { key: 'trigger_price', title: 'TRIGGER', kind: 'price', wide: true },
] as const satisfies readonly Column[]

/** The columns for rows of every status: the status stays in a narrow terminal. */
export const MIXED_COLUMNS = [
  ...APPROVAL_COLUMNS.filter(({ key }) => key !== 'status'),
  { key: 'status', kind: 'status' },
] as const satisfies readonly Column[]

/** The column of smart orders, whose own quantity says nothing about the size of the trade. */
export const TRADE_COLUMN = { key: 'trade', title: 'TRADES NOW', human: true } as const satisfies Column

/** Returns the row with the fields that only a person sees, beside the API's own fields. */
export type ShownApproval = Approval & {
  age?: string | null
  value?: number | null
  /** The trade that a smart order would make now. */
  trade?: string
}

/** Adds age, value and trade to a row. */
export function withAge(row: Approval, now: number): ShownApproval {
  const created = instantOf(row.created_at_ist)
  const trade = tradeOf(row)
  return {
    ...row,
    age: created === undefined ? null : ageText(now - created),
    value: row.value ?? null,
    ...(trade !== null && { trade }),
  }
}

/** Returns the trade that a smart order would make now, such as "close 16"; null for none, and for other orders. */
export function tradeOf({
  position_now: held,
  raw_order_data: request,
  trade_now: trade,
}: Approval): string | null {
  if (trade === undefined || trade === null) return null
  const closes = Number(request.position_size) === 0 && held !== 0
  return `${closes ? 'close' : trade.action} ${trade.quantity}`
}

/** All fields of one approval, in the order in which a person reads them. */
export const APPROVAL_FIELDS = [
  { key: 'id' },
  { key: 'status', kind: 'status' },
  { key: 'api_type', title: 'KIND' },
  { key: 'strategy' },
  { key: 'symbol' },
  { key: 'exchange' },
  { key: 'action', kind: 'status' },
  { key: 'quantity', kind: 'quantity' },
  { key: 'position_now', title: 'POSITION NOW', kind: 'quantity' },
  { key: 'trade', title: 'TRADES NOW', human: true },
  { key: 'price_type', title: 'TYPE' },
  { key: 'product_type', title: 'PRODUCT' },
  { key: 'price', kind: 'price' },
  { key: 'trigger_price', title: 'TRIGGER', kind: 'price' },
  { key: 'value', title: 'VALUE ₹', kind: 'money' },
  { key: 'created_ltp', title: 'LAST PRICE WHEN QUEUED', kind: 'price' },
  { key: 'created_at_ist', title: 'QUEUED', kind: 'time' },
  { key: 'queued_mode', title: 'QUEUED IN' },
  { key: 'expires_at', title: 'EXPIRES', kind: 'time' },
  { key: 'approved_at_ist', title: 'APPROVED', kind: 'time' },
  { key: 'approved_by', title: 'APPROVED BY' },
  { key: 'rejected_at_ist', title: 'REJECTED', kind: 'time' },
  { key: 'rejected_by', title: 'REJECTED BY' },
  { key: 'rejected_reason', title: 'REASON' },
  { key: 'execution', kind: 'status' },
  { key: 'execution_error', title: 'EXECUTION ERROR' },
  { key: 'order_ref', title: 'REFERENCE' },
  { key: 'broker_order_id', title: 'ORDER' },
  { key: 'broker_status', title: 'ORDER STATUS', kind: 'status' },
  { key: 'raw_order_data', title: 'REQUEST' },
] as const satisfies readonly Column<keyof ShownApproval>[]
