import type { Row } from '../../storage/index.js'

/** A live order of a strategy that may have filled further than the journal knows. */
export interface UnfinishedOrder {
  orderRef: string
  orderId: string | null
  symbol: string
  exchange: string
  product: string
  action: string
  /**
   * True if it closed a position of the account. It has no tag and counts for every strategy with a part in
   * the position.
   */
  closesOnly: boolean
}

/** An unfinished order that was sent to wait for the next open. `since` is when it was placed. */
export interface WaitingOrder extends UnfinishedOrder {
  request: string
  since: number
}

/** Reads a row of a query for unfinished orders. */
export function unfinished(row: Row): UnfinishedOrder {
  return {
    orderRef: String(row.order_ref),
    orderId: row.order_id === null ? null : String(row.order_id),
    symbol: String(row.symbol),
    exchange: String(row.exchange),
    product: String(row.product),
    action: String(row.action),
    closesOnly: row.closes === 1,
  }
}
