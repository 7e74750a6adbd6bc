import type { AnswerOf } from '../../../client/endpoints.js'
import { DETAIL_FIELDS } from '../../../views/orders/order.js'
import type { Output } from '../../output/output.js'

/** An order as the broker or the journal reports it. */
export type FollowedOrder = AnswerOf<'orderstatus'>['data'] & { mode: 'live' | 'analyze' }

export function showOrder(out: Output, order: FollowedOrder): Promise<void> {
  const id = order.orderid ? 'orderid' : 'order_ref'
  return out.record({ record: order, fields: DETAIL_FIELDS, id })
}
