import { fromColumn, fromMoney } from '../money/index.js'
import { type PayloadSummary, readPayload, summarise, withoutKey } from './payload.js'
import {
  APPROVAL_STATUSES,
  type ApprovalPayload,
  type ApprovalQuery,
  type ApprovalStatus,
  type BrokerStatus,
  DEFAULT_PAGE,
  type ExecutionState,
  type QueuedMode,
} from './schema.js'
import type { ApprovalStatistics, StatisticsBook } from './statistics.js'
import type { ApprovalFilter, ApprovalStore, PendingOrderRow } from './store.js'

/**
 * A pending order as clients receive it (docs/api.md, "Action Center"), with the person who decided and the
 * state of its execution. Members that the public API does not have may be null.
 */
export interface PendingOrderView extends PayloadSummary {
  id: number
  user_id: string
  api_type: string
  status: ApprovalStatus
  /** `YYYY-MM-DD HH:MM:SS IST` */
  created_at_ist: string
  /** ISO 8601, UTC. */
  created_at: string
  approved_at_ist: string | null
  approved_by: string | null
  rejected_at_ist: string | null
  rejected_by: string | null
  rejected_reason: string | null
  broker_order_id: string | null
  broker_status: BrokerStatus | null
  /** The trading mode when it was queued; null for rows that are older than this column. */
  queued_mode: QueuedMode | null
  /** Last price in rupees when it was queued. */
  created_ltp: number | null
  /** ISO 8601, UTC. */
  expires_at: string | null
  execution: ExecutionState | null
  order_ref: string | null
  execution_error: string | null
  raw_order_data: ApprovalPayload
  /** Present only when the stored request cannot be read. */
  error?: string
}

const UNREADABLE: PayloadSummary = {
  strategy: 'Error',
  symbol: 'Error parsing order',
  exchange: '-',
  action: '-',
  quantity: 0,
  price: '-',
  trigger_price: '-',
  price_type: '-',
  product_type: '-',
}

export function viewOf(row: PendingOrderRow): PendingOrderView {
  const payload = readPayload(row.orderData)
  return {
    id: row.id,
    user_id: row.userId,
    api_type: row.operation,
    status: row.status,
    created_at_ist: row.createdAtIst,
    created_at: new Date(row.createdAt).toISOString(),
    ...(payload ? summarise(row.operation, payload) : UNREADABLE),
    approved_at_ist: row.approvedAtIst,
    approved_by: row.approvedBy,
    rejected_at_ist: row.rejectedAtIst,
    rejected_by: row.rejectedBy,
    rejected_reason: row.rejectedReason,
    broker_order_id: row.brokerOrderId,
    broker_status: row.brokerStatus,
    queued_mode: row.queuedMode,
    created_ltp: row.createdLtp === null ? null : fromMoney(fromColumn(row.createdLtp)),
    expires_at: row.expiresAt === null ? null : new Date(row.expiresAt).toISOString(),
    execution: row.execution,
    order_ref: row.executionRef,
    execution_error: row.executionError,
    raw_order_data: payload ? withoutKey(payload) : {},
    ...(payload ? {} : { error: 'The stored request is not a JSON object.' }),
  }
}

/** Orders, newest first. `total` counts all that match the status; `nextBefore` is present when older orders exist. */
export interface ApprovalPage {
  orders: PendingOrderView[]
  total: number
  nextBefore?: number
}

/**
 * The number of rows that one read of a list returns, in two or three milliseconds: a default page, and the row that
 * shows whether there is another.
 */
const LIST_SLICE = DEFAULT_PAGE + 1

/** The lists of pending and decided orders. */
export class ApprovalList {
  readonly #store: Pick<ApprovalStore, 'page'>
  readonly #statistics: Pick<StatisticsBook, 'of'>

  constructor(store: Pick<ApprovalStore, 'page'>, statistics: Pick<StatisticsBook, 'of'>) {
    this.#store = store
    this.#statistics = statistics
  }

  /** Lists orders, newest first, with their total number. `nextBefore` is present when older orders exist. */
  async page(userId: string, query: ApprovalQuery): Promise<ApprovalPage> {
    const status = query.status === 'all' ? 'all' : APPROVAL_STATUSES.find((one) => one === query.status)
    if (!status) return { orders: [], total: 0 }
    const { limit = DEFAULT_PAGE, before = Number.MAX_SAFE_INTEGER } = query
    const orders = await this.#views(userId, { ...query, status }, limit + 1, before)
    const hasOlder = orders.length > limit
    if (hasOlder) orders.pop()
    const oldest = orders.at(-1)
    return {
      orders,
      total: totalOf(this.#statistics.of(userId), status),
      ...(hasOlder && oldest ? { nextBefore: oldest.id } : {}),
    }
  }

  /** Reads rows in slices, so that a long list does not delay orders. */
  async #views(
    userId: string,
    query: ApprovalFilter,
    limit: number,
    before: number,
  ): Promise<PendingOrderView[]> {
    const views: PendingOrderView[] = []
    for (let below = before; views.length < limit; below = views.at(-1)?.id ?? 0) {
      const pageSize = Math.min(LIST_SLICE, limit - views.length)
      const rows = await this.#store.page(userId, query, pageSize, below)
      views.push(...rows.map(viewOf))
      if (rows.length < pageSize) break
    }
    return views
  }
}

function totalOf(statistics: ApprovalStatistics, status: ApprovalQuery['status']): number {
  const counted = APPROVAL_STATUSES.filter((one) => status === 'all' || one === status)
  return counted.reduce((sum, one) => sum + statistics[`total_${one}`], 0)
}
