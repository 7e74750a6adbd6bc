import type { TradingMode } from '../../trading/index.js'
import type { OrderState } from './states.js'

export const ORDER_SOURCES = ['api', 'approval', 'flow', 'strategy', 'mcp'] as const
export type OrderSource = (typeof ORDER_SOURCES)[number]

/** The members of a request that have their own column. The journal stores the whole request, too. */
interface JournalPayload {
  symbol: string
  exchange: string
  action: string
  quantity: number
  product: string
  strategy: string
}

/** The row that is stored before an order may be sent. */
export interface JournalEntry<P extends JournalPayload = JournalPayload> {
  orderRef: string
  userId: string
  operation: string
  source: OrderSource
  mode: TradingMode
  broker: string
  state: OrderState
  payload: P
  approvalId?: number
  /** The request of several orders it belongs to, and its position there. */
  batchRef?: string
  leg?: number
}

/** Returns the row of an order that was stored at `now`. */
export function journalRow(entry: JournalEntry, now: number) {
  const { payload } = entry
  // Members that follow a spread take half a microsecond each, so there is none.
  return {
    orderRef: entry.orderRef,
    userId: entry.userId,
    operation: entry.operation,
    source: entry.source,
    mode: entry.mode,
    broker: entry.broker,
    state: entry.state,
    symbol: payload.symbol,
    exchange: payload.exchange,
    action: payload.action.toUpperCase(),
    quantity: String(payload.quantity),
    product: payload.product,
    strategy: payload.strategy,
    request: JSON.stringify(payload),
    approvalId: entry.approvalId ?? null,
    batchRef: entry.batchRef ?? null,
    leg: entry.leg ?? null,
    lookups: 0,
    createdAt: now,
    updatedAt: now,
  }
}
