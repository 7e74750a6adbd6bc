import { useMemo, useState } from 'react'
import { type ShownApproval, tradeOf, withAge } from '../../views/approvals/approval.js'
import { symbolKey } from '../../views/text/symbol.js'
import { newest } from '../live/prices/quote.js'
import type { Quotes } from '../live/prices/quote-watch.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import { isFree, type Progress } from './decision.js'
import { Decisions } from './decisions.js'
import { OrdersNowFeed } from './feed.js'
import type { Approval, OrderNow } from './queue.js'

/** A row of the queue: the order, and where its decision stands. */
export type QueueRow = Approval & {
  /** In a few words, for the table. */
  state: string
  /** With reason, error and order id. */
  outcome: string
  /** How far this screen's own decision has come. */
  step?: Progress['step'] | undefined
  /** The time at which the last price was read, in milliseconds; 0 if it is not known. */
  pricedAt: number
}

/** A row as the screen shows it now. */
export type ScreenRow = QueueRow &
  ShownApproval & {
    /** The change of the price since the order was queued, in per cent. */
    drift: number | null
  }

export function queueRow(row: Approval, progress: Progress | undefined, pricedAt: number): QueueRow {
  const { state, detail } = standing(row, progress)
  const outcome = detail === '' ? state : `${state}: ${detail}`
  return { ...row, pricedAt, state, outcome, step: progress?.step }
}

/** What is known of an order beside its row of the queue. */
interface RowFacts {
  now: OrderNow | undefined
  progress: Progress | undefined
  /** The time of the read of all prices. */
  pricedAt: number
}

/** The rows that were made, each as long as its order stays the same: a decision changes one row of thousands. */
export class QueueRows {
  readonly #made = new WeakMap<Approval, { facts: RowFacts; row: QueueRow }>()

  queueRow(order: Approval, { now, progress, pricedAt }: RowFacts): QueueRow {
    const facts = { now, progress, pricedAt: now === undefined ? 0 : pricedAt }
    const made = this.#made.get(order)
    if (made !== undefined && isSame(made.facts, facts)) return made.row
    const row = queueRow({ ...order, ...now }, progress, facts.pricedAt)
    this.#made.set(order, { facts, row })
    return row
  }
}

function isSame(one: RowFacts, other: RowFacts): boolean {
  return one.now === other.now && one.progress === other.progress && one.pricedAt === other.pricedAt
}

/** Returns a row with its age, its newest price, and the drift since it was queued. */
export function screenRow(row: QueueRow, quotes: Quotes, now: number): ScreenRow {
  const { last_price: price, pricedAt } = row
  const read = price == null ? undefined : { ltp: price, at: pricedAt }
  const last = newest(read, quotes.get(symbolKey(row)))?.ltp ?? null
  const priced = { ...row, last_price: last }
  return { ...priced, ...withAge(priced, now), drift: priceDrift(row, last) }
}

function priceDrift({ status, created_ltp: then }: Approval, last: number | null): number | null {
  if (status !== 'pending' || last === null || !then) return null
  return Math.round(((last - then) / then) * 10_000) / 100
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
  if (progress === undefined) return { state: 'pending', detail: '' }
  if (progress.step === 'refused') return { state: 'pending, refused', detail: progress.text }
  return progress.step === 'in_doubt'
    ? { state: 'in doubt', detail: progress.text }
    : { state: progress.text, detail: '' }
}

/** Returns whether an order waits for a decision, and none is on its way. */
export function isUndecided({ status, step }: QueueRow): boolean {
  return status === 'pending' && isFree(step)
}

/** Returns whether an order is still a matter of the queue: it waits, its end is not known, or the decision on it failed. */
export function isUnsettled({ execution, status, step }: QueueRow): boolean {
  if (status === 'pending' || execution === 'executing' || execution === 'in_doubt') return true
  return step === 'in_doubt' || step === 'failed' || step === 'partial'
}

/** Returns an order in one line: `7 BUY 10 SBIN NSE LIMIT 812.50 MIS`. */
export function orderText(row: Approval): string {
  const { id, action, quantity, symbol, exchange, price_type: type, product_type: product } = row
  const price = Number(row.price) > 0 ? row.price : ''
  const trade = tradeOf(row) ?? ''
  const parts = [id, action, quantity, symbol, exchange, type, price, product, trade, row.strategy]
  return parts.filter((part) => part !== '').join(' ')
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
  if (execution === 'partial') return 'executed in part, approved'
  return execution === 'failed' ? 'failed, approved' : 'approved'
}

/** A hook: returns the rows of some orders, with the decisions of this screen. */
export function useQueueRows(orders: readonly Approval[]): readonly QueueRow[] {
  const daemon = useDaemon()
  const progress = useStore(daemon.part(Decisions).progress)
  const { content: now, readAt: pricedAt } = useFeed(daemon.part(OrdersNowFeed))
  const [made] = useState(() => new QueueRows())
  return useMemo(
    () =>
      orders.map((row) =>
        made.queueRow(row, { now: now.get(row.id), progress: progress.get(row.id), pricedAt }),
      ),
    [made, orders, now, pricedAt, progress],
  )
}
