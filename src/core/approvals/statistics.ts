import type { QueueName } from '../operations/index.js'
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

export function emptyStatistics(): ApprovalStatistics {
  return {
    total_pending: 0,
    total_approved: 0,
    total_rejected: 0,
    total_buy_orders: 0,
    total_sell_orders: 0,
    total_placeorder: 0,
    total_smartorder: 0,
    total_basketorder: 0,
    total_splitorder: 0,
    total_optionsorder: 0,
    total_optionsmultiorder: 0,
    total_placegttorder: 0,
  }
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
