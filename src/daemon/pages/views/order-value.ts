import type { AnswerOf } from '../../operations/types.js'

type Order = AnswerOf<'GET /action-center'>['data']['orders'][number]

/**
 * Returns about how much money an order moves, in rupees: its limit, or else the last price, for its quantity.
 * Undefined where that is not known yet: without a price, or for a request of several orders.
 */
export function orderValue(order: Order): number | undefined {
  const quantity = tradedQuantity(order)
  const { last_price, price, price_type } = order
  const limit = price_type === 'LIMIT' || price_type === 'SL' ? Number(price) : undefined
  const each = limit ?? last_price ?? undefined
  return each === undefined || quantity === undefined || !Number.isFinite(each) ? undefined : each * quantity
}

/** A smart order trades the difference between the position it wants and the position now. */
function tradedQuantity({ api_type, position_now, quantity, raw_order_data }: Order): number | undefined {
  if (api_type === 'placeorder' || api_type === 'splitorder') return quantity
  const wanted = Number(raw_order_data.position_size)
  const isKnown = api_type === 'smartorder' && position_now !== undefined && Number.isFinite(wanted)
  return isKnown ? Math.abs(wanted - position_now) : undefined
}
