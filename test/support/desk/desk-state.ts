import { join } from 'node:path'
import { eventually } from '../eventually.js'
import { query } from '../files/files.js'
import type { DaemonProcess } from '../process/daemon-process.js'

export interface JournalEntry {
  order_ref: string
  state: string
  orderid: string | null
  trigger_id: string | null
  reason: string | null
  approval_id: number | null
}

/** Returns the newest 1,000 orders of the journal as a user sees them, newest first. */
export async function journalOf(daemon: DaemonProcess): Promise<JournalEntry[]> {
  return (await daemon.request<{ data: JournalEntry[] }>('GET', '/orders/journal?limit=1000')).body.data
}

/** Returns the only order. @throws Error when there is none or more than one */
export async function onlyOrder(daemon: DaemonProcess): Promise<JournalEntry> {
  const rows = await journalOf(daemon)
  const [row] = rows
  if (!row || rows.length > 1) throw new Error(`${rows.length} orders in the journal`)
  return row
}

/** Waits until the only order has one of the states. */
export async function reaches(daemon: DaemonProcess, ...states: string[]): Promise<JournalEntry> {
  await eventually(
    async () => states.includes((await onlyOrder(daemon)).state),
    `the order is ${states.join(' or ')}`,
  )
  return onlyOrder(daemon)
}

export interface PendingOrder {
  id: number
  status: string
  broker_order_id: string | null
}

export interface QueuedRow {
  id: number
  status: string
  execution: string | null
  broker_order_id: string | null
  approved_by: string | null
  rejected_by: string | null
}

/** Returns the rows of the approval queue, whatever their status. */
export function approvalsOf(daemon: DaemonProcess): Promise<QueuedRow[]> {
  return query<QueuedRow>(
    join(daemon.home, 'svc.db'),
    `select id, status, execution, broker_order_id, approved_by, rejected_by from pending_orders order by id`,
  )
}

/** Returns the simulated account from its database file. */
export async function sandboxOf(daemon: DaemonProcess) {
  const file = join(daemon.home, 'sandbox.db')
  const orders = await query<{ order_id: string; status: string }>(
    file,
    'select order_id, status from sandbox_orders',
  )
  const trades = await query<{ order_id: string; quantity: number }>(
    file,
    'select order_id, quantity from sandbox_trades',
  )
  const positions = await query<{ quantity: number }>(file, 'select quantity from sandbox_positions')
  return { orders, trades, held: positions.reduce((sum, { quantity }) => sum + quantity, 0) }
}

/** Queues one order for approval. @returns its id */
export async function queueOne(
  daemon: DaemonProcess,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<number> {
  const { body, text } = await daemon.place(fields, headers)
  if (body.pending_order_id === undefined) throw new Error(`not queued: ${text}`)
  return body.pending_order_id
}
