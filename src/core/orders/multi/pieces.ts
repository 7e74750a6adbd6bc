import { piecesOf } from '../../instruments/index.js'
import { exactQuantity } from '../../money/index.js'
import type { OrderPayload } from '../schema.js'
import type { PlannedLeg, PlannedOrder } from './plan.js'

/** The orders of one change of a position, and how its leg shows them. */
type Pieces = Pick<PlannedLeg, 'orders' | 'split' | 'inPieces'>

/**
 * Returns the orders that one change of a position must be sent in: a single one, unless it is above the largest order that
 * the exchange takes. The pieces that close come first, then those that open the other side.
 * @param closing how much of the quantity closes the position; an order that closes nothing is never cut
 */
export function inPieces(order: OrderPayload, closing: number, largest: number | undefined): Pieces {
  const { quantity } = order
  if (closing <= 0 || largest === undefined || quantity <= largest) {
    return { orders: [{ shown: {}, order }] }
  }
  const opening = exactQuantity(quantity - closing)
  const sizes = [
    ...piecesOf(closing, largest).map((size) => ({ size })),
    ...(opening > 0 ? piecesOf(opening, largest).map((size) => ({ size, opens: true as const })) : []),
  ]
  const orders = sizes.map(
    ({ size, ...opens }, index): PlannedOrder => ({
      shown: { order_num: index + 1, quantity: size },
      order: { ...order, quantity: size },
      ...opens,
    }),
  )
  return { orders, split: { total_quantity: quantity, split_size: largest }, inPieces: true }
}
