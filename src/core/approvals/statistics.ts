import { QUEUE_NAMES, type QueueName } from '../orders/operations/order-operations.js'
import type { Action } from '../orders/schema.js'
import type { ApprovalStatus } from './schema.js'

type Side = Action | null

/** The counts over all of a user's orders (docs/api.md, "Action Center"). */
export type ApprovalStatistics = Record<
  `total_${ApprovalStatus}` | 'total_buy_orders' | 'total_sell_orders' | `total_${QueueName}`,
  number
>

/** The properties of a row that decide where it is counted. */
export interface Counted {
  userId: string
  status: ApprovalStatus
  operation: string
  side: Side
}

/** The names of the counts, in the order of the answer. */
const COUNTS = [
  'total_pending',
  'total_approved',
  'total_rejected',
  'total_buy_orders',
  'total_sell_orders',
  ...QUEUE_NAMES.map((name) => `total_${name}` as const),
] as const satisfies readonly (keyof ApprovalStatistics)[]

export function emptyStatistics(): ApprovalStatistics {
  return Object.fromEntries(COUNTS.map((name) => [name, 0])) as ApprovalStatistics
}

const NOTHING: Readonly<ApprovalStatistics> = emptyStatistics()
const SIDE_TOTAL = { BUY: 'total_buy_orders', SELL: 'total_sell_orders' } as const

const isQueueable = (operation: string): operation is QueueName => `total_${operation}` in NOTHING

/**
 * The statistics of every user. They are loaded once and updated with each durable change, so a read costs
 * the same with a million rows of history as with none.
 */
export class StatisticsBook {
  readonly #byUser = new Map<string, ApprovalStatistics>()

  /** Adds `count` rows of one kind; a negative count removes rows. */
  add(row: Counted, count: number): void {
    const totals = this.#totals(row.userId)
    totals[`total_${row.status}`] += count
    if (row.side) totals[SIDE_TOTAL[row.side]] += count
    if (isQueueable(row.operation)) totals[`total_${row.operation}`] += count
  }

  /** Moves one of the user's rows from pending to `status`. */
  decided(userId: string, status: 'approved' | 'rejected'): void {
    const totals = this.#totals(userId)
    totals.total_pending -= 1
    totals[`total_${status}`] += 1
  }

  of(userId: string): ApprovalStatistics {
    const totals = this.#byUser.get(userId)
    return totals ? { ...totals } : emptyStatistics()
  }

  /** Returns the number of pending orders of all users. */
  pending(): number {
    return [...this.#byUser.values()].reduce((all, { total_pending }) => all + total_pending, 0)
  }

  #totals(userId: string): ApprovalStatistics {
    let totals = this.#byUser.get(userId)
    if (!totals) {
      totals = emptyStatistics()
      this.#byUser.set(userId, totals)
    }
    return totals
  }
}
