import { type Approval, orderValue } from '../../cli/commands/approval/row.js'
import { allPages } from '../../cli/commands/history.js'
import type { SvcClient } from '../../client/index.js'

export type { Approval }

/** The number of decided orders that stay on the screen. */
const DECIDED_KEPT = 200
const PAGE = 200
/** The most pages read to learn what became of orders that have left the queue. */
const MOST_PAGES = 10

/** Returns the queue now: the pending orders, and those of `before` that have been decided, newest first. */
export async function currentRows(
  client: SvcClient,
  before: readonly Approval[],
): Promise<readonly Approval[]> {
  const pending = await allPages(undefined, async (limit, older) => {
    const { orders, next_before } = await page(client, { status: 'pending', limit, before: older })
    return { rows: orders, next: next_before?.toString() }
  })
  const isPending = new Set(pending.map(({ id }) => id))
  const left = before.filter(({ id }) => !isPending.has(id))
  const decided = await refreshed(client, left)
  return [...pending, ...decided.slice(0, DECIDED_KEPT)].sort((one, other) => other.id - one.id)
}

/** Reads again the orders that may have changed since; a deleted order is dropped. */
async function refreshed(client: SvcClient, rows: readonly Approval[]): Promise<readonly Approval[]> {
  const open = rows.filter(isOpen).map(({ id }) => id)
  const found = await rowsOf(client, open)
  return rows.flatMap((row) => (isOpen(row) ? (found.get(row.id) ?? []) : row))
}

function isOpen({ status, execution }: Approval): boolean {
  return status === 'pending' || execution === 'executing' || execution === 'in_doubt'
}

async function rowsOf(client: SvcClient, ids: readonly number[]): Promise<ReadonlyMap<number, Approval>> {
  const found = new Map<number, Approval>()
  const wanted = new Set(ids)
  let before = Math.max(...ids) + 1
  const limit = ids.length === 1 ? 1 : PAGE
  for (let pages = 0; wanted.size > 0 && pages < MOST_PAGES; pages += 1) {
    const { orders } = await page(client, { status: 'all', limit, before })
    for (const row of orders) if (wanted.delete(row.id)) found.set(row.id, row)
    const oldest = orders.at(-1)
    if (!oldest || oldest.id <= Math.min(...wanted)) break
    before = oldest.id
  }
  return found
}

async function page(client: SvcClient, query: object) {
  return (await client.request('GET /action-center/api/data', { query })).data
}

/** Returns the number of orders and their value, as a confirmation names them: `3 orders, ₹1,20,000.00`. */
export function countAndValue(rows: readonly Approval[]): string {
  const values = rows.map(orderValue)
  const known = values.filter((value) => value !== null)
  const count = `${rows.length} ${rows.length === 1 ? 'order' : 'orders'}`
  const missing = values.length - known.length
  if (known.length === 0) return `${count}, value not known`
  const sum = known.reduce((total, value) => total + value, 0)
  const text = `${count}, ₹${sum.toLocaleString('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
  return missing === 0 ? text : `${text} and ${missing} of unknown value`
}
