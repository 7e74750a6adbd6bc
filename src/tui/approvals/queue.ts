import { allPages } from '../../client/answers/pages.js'
import type { RouteAnswer, SvcClient } from '../../client/index.js'
import type { Approval } from '../../views/approvals/approval.js'
import { rupees } from '../../views/table/cells.js'

export type { Approval }

type Statistics = RouteAnswer<'GET /action-center/api/data'>['data']['statistics']

/** The pending orders and those decided lately, newest first. */
export interface Queue {
  rows: readonly Approval[]
  statistics: Statistics
}

export const NO_QUEUE: Queue = { rows: [], statistics: {} }

/** The number of decided orders that stay on the screen. */
const DECIDED_KEPT = 200
const PAGE = 200
/** The rows whose positions are looked up again and again. */
const NEWEST = 50
/** The most pages read to learn what became of orders that have left the queue. */
const MOST_PAGES = 10

/** Reads all pending orders, and what became of those of `before` that are no longer pending. */
export async function wholeQueue(client: SvcClient, before: Queue): Promise<Queue> {
  let { statistics } = before
  const pending = await allPages(undefined, async (limit, older) => {
    const page = await read(client, { status: 'pending', limit, before: older })
    statistics = page.statistics
    return { rows: page.orders, next: page.next_before?.toString() }
  })
  const isPending = new Set(pending.map(({ id }) => id))
  const left = before.rows.filter(({ id }) => !isPending.has(id))
  const found = await approvalsById(
    client,
    left.filter(isOpen).map(({ id }) => id),
  )
  const decided = left.flatMap((row) => (isOpen(row) ? (found.get(row.id) ?? []) : row))
  return { rows: newestFirst([...pending, ...decided.slice(0, DECIDED_KEPT)]), statistics }
}

/** Reads a few orders again, each by itself; a deleted order is dropped. */
export async function withChanged(client: SvcClient, before: Queue, ids: readonly number[]): Promise<Queue> {
  const [{ statistics }, ...found] = await Promise.all([
    read(client, { status: 'pending', limit: 1 }),
    ...ids.map((id) => approvalNow(client, id)),
  ])
  const isRead = new Set(ids)
  const others = before.rows.filter(({ id }) => !isRead.has(id))
  const rows = newestFirst([...others, ...found.filter((row) => row !== undefined)])
  let decided = 0
  return { rows: rows.filter(({ status }) => status === 'pending' || decided++ < DECIDED_KEPT), statistics }
}

async function approvalNow(client: SvcClient, id: number): Promise<Approval | undefined> {
  const { orders } = await read(client, { status: 'all', limit: 1, before: id + 1 })
  return orders.find((order) => order.id === id)
}

/** Reads the orders again whose execution goes on: its end has no event. */
export async function withExecutions(client: SvcClient, before: Queue): Promise<Queue> {
  const executing = before.rows.filter((row) => row.status !== 'pending' && isOpen(row)).map(({ id }) => id)
  if (executing.length === 0) return before
  const found = await approvalsById(client, executing)
  return { ...before, rows: before.rows.map((row) => found.get(row.id) ?? row) }
}

/** The facts of a pending order that the daemon may have to ask the broker for: it may learn them late. */
export type OrderNow = Pick<Approval, 'created_ltp' | 'last_price' | 'position_now' | 'trade_now' | 'value'>
export type OrdersNow = ReadonlyMap<number, OrderNow>

/** Reads the prices and the positions of the newest pending orders. */
export async function ordersNow(client: SvcClient): Promise<OrdersNow> {
  const query = { status: 'pending', limit: NEWEST }
  const { orders } = (await client.request('GET /action-center/api/data', { query })).data
  return new Map(
    orders.map(({ id, created_ltp, last_price, position_now, trade_now, value }) => [
      id,
      {
        created_ltp,
        last_price,
        ...(value !== undefined && { value }),
        ...(position_now !== undefined && { position_now }),
        ...(trade_now !== undefined && { trade_now }),
      },
    ]),
  )
}

/** Reads the newest orders of a status. */
export async function decidedOrders(
  client: SvcClient,
  status: 'approved' | 'rejected',
): Promise<readonly Approval[]> {
  return (await read(client, { status, limit: PAGE })).orders
}

/** Returns whether an order may still change. */
function isOpen({ status, execution }: Approval): boolean {
  return status === 'pending' || execution === 'executing' || execution === 'in_doubt'
}

function newestFirst(rows: readonly Approval[]): readonly Approval[] {
  return rows.toSorted((one, other) => other.id - one.id)
}

async function approvalsById(
  client: SvcClient,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Approval>> {
  const found = new Map<number, Approval>()
  const missing = new Set(ids)
  let before = Math.max(...ids) + 1
  const limit = ids.length === 1 ? 1 : PAGE
  for (let pages = 0; missing.size > 0 && pages < MOST_PAGES; pages += 1) {
    const { orders } = await read(client, { status: 'all', limit, before })
    for (const row of orders) if (missing.delete(row.id)) found.set(row.id, row)
    const oldest = orders.at(-1)
    if (!oldest || oldest.id <= Math.min(...missing)) break
    before = oldest.id
  }
  return found
}

/** Reads a page of the queue, without what may wait for the broker. */
async function read(client: SvcClient, query: object) {
  const request = { query: { ...query, prices: 'false' as const } }
  return (await client.request('GET /action-center/api/data', request)).data
}

/** Returns the number of orders and their value, as a confirmation names them: `3 orders, ₹1,20,000.00`. */
export function countAndValue(rows: readonly Approval[]): string {
  const values = rows.map(({ value }) => value ?? null)
  const known = values.filter((value) => value !== null)
  const count = `${rows.length} ${rows.length === 1 ? 'order' : 'orders'}`
  const missing = values.length - known.length
  if (known.length === 0) return `${count}, value not known`
  const sum = known.reduce((total, value) => total + value, 0)
  const text = `${count}, ${rupees(sum)}`
  return missing === 0 ? text : `${text} and ${missing} of unknown value`
}
