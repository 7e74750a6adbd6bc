import type { Refusal } from '../errors/index.js'
import type { SymbolRef } from '../market/schema.js'
import { fromMoney } from '../money/index.js'
import { readPayload } from './payload.js'
import { driftRefusal, priceWhenQueued } from './prices/drift.js'
import type { LastPrice, QueuedMode, QueuedOrder } from './schema.js'
import type { ApprovalStore, PendingOrderRow } from './store.js'

/** A request that waits, for those who want to know what its approval would do. */
export interface WaitingOrder {
  order: QueuedOrder
  /** The trading mode when the request was queued; null if it is not known. */
  queuedMode: QueuedMode | null
  /** Returns the last price of an instrument when the request was queued, in rupees. */
  priceThen(ref: SymbolRef): number | undefined
  /** Returns why its price forbids an approval now. */
  drift(): Promise<Refusal | undefined>
}

interface Parts {
  store: ApprovalStore
  maxDriftPercent: number
  lastPrice: LastPrice
}

/** The rows that one read returns; others have their turn between two reads. */
const SLICE = 100

/** Yields the waiting requests of a user in the order of approve-all, oldest first: all, or those with these ids. */
export async function* waitingOrders(
  parts: Parts,
  userId: string,
  ids?: readonly number[],
): AsyncGenerator<WaitingOrder> {
  const askedIds = ids && new Set(ids)
  const pending = await parts.store.pendingIds(userId)
  for (let from = 0; from < pending.length; from += SLICE) {
    const slice = pending.slice(from, from + SLICE).filter((id) => askedIds?.has(id) ?? true)
    const newest = slice.at(-1)
    if (newest === undefined) continue
    const limit = slice.length === 1 ? 1 : SLICE
    const rows = await parts.store.page(userId, { status: 'pending' }, limit, newest + 1)
    const wanted = new Set(slice)
    for (const row of rows.toReversed()) {
      const waiting = wanted.has(row.id) ? waitingOf(parts, row) : undefined
      if (waiting) yield waiting
    }
  }
}

function waitingOf({ lastPrice, maxDriftPercent }: Parts, row: PendingOrderRow): WaitingOrder | undefined {
  const payload = readPayload(row.orderData)
  if (!payload) return undefined
  const order: QueuedOrder = {
    id: row.id,
    userId: row.userId,
    operation: row.operation,
    payload,
    ...(row.executionRef !== null && { ofRun: { orderRef: row.executionRef, broker: row.broker } }),
  }
  return {
    order,
    queuedMode: row.queuedMode,
    priceThen(ref) {
      const price = priceWhenQueued(row, ref)
      return price === undefined ? undefined : fromMoney(price)
    },
    drift: () => driftRefusal(order, row, maxDriftPercent, lastPrice),
  }
}
