import type { OrderRecord } from '../../client/answers/records.js'
import { rupeePrice } from '../table/cells.js'
import type { Column } from '../table/column.js'
import { symbolKey } from '../text/symbol.js'

/** Columns of the order book. */
export const ORDER_COLUMNS = [
  { key: 'timestamp', title: 'TIME', kind: 'time', leaves: 1 },
  { key: 'orderid', title: 'ORDER', none: [''] },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'action', kind: 'status' },
  { key: 'product', leaves: 5 },
  { key: 'pricetype', title: 'TYPE', leaves: 4 },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'filled_quantity', title: 'FILLED', kind: 'quantity', leaves: 3 },
  { key: 'pending_quantity', title: 'REMAINING', kind: 'quantity', wide: true },
  { key: 'price', kind: 'price', leaves: 4 },
  { key: 'trigger_price', title: 'TRIGGER', kind: 'price', wide: true },
  { key: 'average_price', title: 'AVG', kind: 'price', leaves: 2 },
  { key: 'order_status', title: 'STATUS', kind: 'status' },
  { key: 'rejection_reason', title: 'REASON', leaves: 6, below: { order_status: ['rejected'] } },
  { key: 'mode', kind: 'status', wide: true },
] as const satisfies readonly Column<keyof OrderRecord>[]

export const DETAIL_FIELDS = [
  { key: 'orderid', title: 'ORDER' },
  { key: 'order_ref', title: 'REFERENCE' },
  { key: 'state', kind: 'status' },
  { key: 'order_status', title: 'STATUS', kind: 'status' },
  { key: 'rejection_reason', title: 'REASON' },
  { key: 'symbol' },
  { key: 'exchange' },
  { key: 'action', kind: 'status' },
  { key: 'quantity', kind: 'quantity' },
  { key: 'filled_quantity', title: 'FILLED', kind: 'quantity' },
  { key: 'pending_quantity', title: 'REMAINING', kind: 'quantity' },
  { key: 'pricetype', title: 'TYPE' },
  { key: 'product' },
  { key: 'price', kind: 'price' },
  { key: 'trigger_price', title: 'TRIGGER', kind: 'price' },
  { key: 'average_price', title: 'AVERAGE', kind: 'price' },
  { key: 'instructions', title: 'ASKS' },
  { key: 'timestamp', title: 'TIME', kind: 'time' },
  { key: 'strategy' },
  { key: 'mode', kind: 'status' },
] as const satisfies readonly Column[]

/** Returns an order in a few words: `BUY 10 NSE:SBIN`. */
export function orderText(order: {
  action: string
  quantity: number | string
  exchange: string
  symbol: string
}): string {
  return `${order.action.toUpperCase()} ${order.quantity} ${symbolKey(order)}`
}

/** Returns the terms of an order in the words of a review: `LIMIT at ₹812.50, trigger ₹815.00`. */
export function termsText({
  pricetype,
  price,
  trigger_price,
}: Pick<OrderRecord, 'pricetype' | 'price' | 'trigger_price'>): string {
  const limit = price > 0 ? ` at ${rupeePrice(price)}` : ''
  const trigger = trigger_price > 0 ? `, trigger ${rupeePrice(trigger_price)}` : ''
  return `${pricetype}${limit}${trigger}`
}
