import { fromColumn, fromMoney } from '../money/index.js'
import { type PayloadSummary, readPayload, summarise, withoutKey } from './payload.js'
import type { ApprovalPayload, ApprovalStatus, BrokerStatus, ExecutionState, QueuedMode } from './schema.js'
import type { PendingOrderRow } from './store.js'

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
