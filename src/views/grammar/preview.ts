import type { AnswerOf } from '../../client/endpoints.js'
import { hasLots } from '../orders/lot.js'
import { orderText, termsText } from '../orders/order.js'
import { rupeePrice } from '../table/cells.js'
import { countText } from '../text/count.js'
import type { Asks, MeantOrder } from './resolve.js'

/** Where an order would go, and what it would need. */
export interface OrderPreview {
  desk: AnswerOf<'desk'>['data']
  /** In rupees; undefined if it cannot be known. */
  margin: number | undefined
}

/** Reads where an order would go, with its value and its margin. It sends nothing. @throws the refusal of the order */
export async function previewOf({ order }: MeantOrder, asks: Asks): Promise<OrderPreview> {
  const margin = asks.call('margin', { positions: [order] }).then(
    ({ data }) => data.total_margin_required,
    // Not every broker says it, and the order does not depend on it.
    () => undefined,
  )
  const request = { strategy: 'preview', ...order }
  const { data: desk } = await asks.call('desk', { operation: 'placeorder', request })
  return { desk, margin: await margin }
}

/** Returns an order in the words of a preview, one fact each. */
export function orderFacts({ listed, order }: MeantOrder, { desk, margin }: OrderPreview): readonly string[] {
  const known = (amount: number | null | undefined) =>
    typeof amount === 'number' ? rupeePrice(amount) : 'not known'
  return [
    orderText(order),
    termsText(order),
    order.product,
    ...(hasLots(listed) ? [lotsText(order.quantity, listed.lotsize)] : []),
    `value ${known(desk.value)}`,
    `margin ${known(margin)}`,
    ...(desk.order_mode === 'semi_auto' ? ['waits for approval'] : []),
  ]
}

const lotsText = (units: number, lotsize: number) =>
  `${countText(Number((units / lotsize).toFixed(2)), 'lot')} of ${lotsize}`

/** Returns the mode and the broker of a preview, which a person must not overlook. */
export function deskText({ broker, mode }: OrderPreview['desk']): string {
  return `${mode === 'live' ? 'LIVE' : 'ANALYZE (simulated)'}, broker ${broker}`
}
