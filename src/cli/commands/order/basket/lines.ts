import { isObject, textMember } from '../../../../client/answers/json.js'
import { isWritten, priceTypeNamed } from '../../../../core/orders/terms/price-type.js'
import type { UncheckedBody } from '../../../framework/context.js'
import type { ResultRow } from '../results.js'

export type BasketBody = UncheckedBody<'basketorder'>

/** An order of a basket, and its number in the file. */
export interface Line {
  number: number
  order: Readonly<Record<string, unknown>>
}

/** Returns the orders of a basket as the daemon sends and answers them: buy orders first, then sell orders. */
export function linesOf(body: BasketBody): readonly Line[] {
  const orders: unknown = Reflect.get(body, 'orders')
  const lines = (Array.isArray(orders) ? orders : []).flatMap((order: unknown, index) =>
    isObject(order) ? [{ number: index + 1, order }] : [],
  )
  return ['BUY', 'SELL'].flatMap((side) => lines.filter(({ order }) => sideOf(order) === side))
}

/** Returns what the file says of the orders: the answer to a basket has neither side, size nor prices. */
export function askedIn(lines: readonly Line[]): readonly ResultRow[] {
  return lines.map(({ number, order }) => ({
    order_num: number,
    action: sideOf(order),
    quantity: order.quantity ?? null,
    pricetype: priceTypeNamed(order.pricetype) ?? 'MARKET',
    ...(isWritten(order.price) && { price: order.price }),
    ...(isWritten(order.trigger_price) && { trigger_price: order.trigger_price }),
  }))
}

const sideOf = (order: object) => (textMember(order, 'action') ?? '').toUpperCase()
