import type { Refusal } from '../errors/index.js'
import type { SymbolRef } from '../market/schema.js'
import { fromMoney } from '../money/index.js'
import { readPayload } from './payload.js'
import { driftRefusal, priceWhenQueued } from './prices/drift.js'
import type { LastPrice, QueuedOrder } from './schema.js'
import type { ApprovalStore, PendingOrderRow } from './store.js'

/** A request that waits, for those who want to know what its approval would do. */
export interface WaitingOrder {
  order: QueuedOrder
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

/** Yields the waiting requests of a user, newest first: all, or those with these ids. */
export async function* waitingOrders(
  parts: Parts,
  userId: string,
  ids?: readonly number[],
): AsyncGenerator<WaitingOrder> {
  const askedIds = ids && new Set(ids)
  const oldest = ids === undefined ? 0 : Math.min(...ids)
  let before = ids === undefined ? Number.MAX_SAFE_INTEGER : Math.max(...ids) + 1
  for (;;) {
    const limit = Math.min(SLICE, ids?.length === 1 ? 1 : SLICE)
    const rows = await parts.store.page(userId, { status: 'pending' }, limit, before)
    for (const row of rows) {
      const waiting = askedIds && !askedIds.has(row.id) ? undefined : waitingOf(parts, row)
      if (waiting) yield waiting
    }
    before = rows.at(-1)?.id ?? 0
    if (rows.length < limit || before <= oldest) return
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
    priceThen(ref) {
      const price = priceWhenQueued(row, ref)
      return price === undefined ? undefined : fromMoney(price)
    },
    drift: () => driftRefusal(order, row, maxDriftPercent, lastPrice),
  }
}
