import type { AnswerOf } from '../../../client/endpoints.js'
import { DETAIL_FIELDS } from '../../../views/orders/order.js'
import type { Context } from '../../framework/context.js'

/** An order as the broker or the journal reports it. */
export type FollowedOrder = AnswerOf<'orderstatus'>['data'] & { mode: 'live' | 'analyze' }

export function showOrder(context: Context, order: FollowedOrder): Promise<void> {
  const id = order.orderid ? 'orderid' : 'order_ref'
  return context.out.record({ record: order, fields: DETAIL_FIELDS, id })
}
