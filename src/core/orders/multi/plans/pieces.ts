import { piecesOf } from '../../../instruments/index.js'
import { exactQuantity } from '../../../money/index.js'
import type { OrderEnd } from '../../end.js'
import type { OrderPayload } from '../../schema.js'
import type { BatchPlan, PlannedLeg, PlannedOrder } from './plan.js'

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
    return { orders: [{ shown: {}, order, ...(closing >= quantity && { closes: true }) }] }
  }
  const opening = exactQuantity(quantity - closing)
  const sizes = [
    ...piecesOf(closing, largest).map((size) => ({ size, closes: true as const })),
    ...(opening > 0 ? piecesOf(opening, largest).map((size) => ({ size, opens: true as const })) : []),
  ]
  const orders = sizes.map(
    ({ size, ...does }, index): PlannedOrder => ({
      shown: { order_num: index + 1, quantity: size },
      // The exchange refuses an order that discloses more than it has.
      order: { ...order, quantity: size, disclosed_quantity: Math.min(order.disclosed_quantity, size) },
      ...does,
    }),
  )
  return { orders, split: { total_quantity: quantity, split_size: largest }, inPieces: true }
}

/** Returns what the pieces of a leg open, as one order; undefined if they only close, or are none. */
export function openingIn({ orders }: PlannedLeg): OrderPayload | undefined {
  const opening = orders.filter(({ opens }) => opens).map(({ order }) => order)
  const [first] = opening
  return (
    first && { ...first, quantity: opening.reduce((sum, { quantity }) => exactQuantity(sum + quantity), 0) }
  )
}

/** A doubt about an earlier piece, or that it was not placed. */
type Obstacle = 'doubt' | 'failure'

/**
 * Returns a function that says why an order must not be sent because of an earlier piece: one whose outcome is in doubt, or
 * for an order that opens the other side, one that was not placed.
 */
export function obstaclesIn({ legs }: BatchPlan) {
  const pieces = legs.flatMap(({ inPieces, orders }) => {
    return orders.map(({ opens }, index) => ({ before: inPieces ? index : 0, opens }))
  })
  return (place: number, ends: readonly (OrderEnd | undefined)[]): Obstacle | undefined => {
    const { before = 0, opens } = pieces[place] ?? {}
    const earlier = ends.slice(place - before, place)
    const obstacle = earlier.find(
      (end) => end?.outcome === 'in_doubt' || (opens && end?.outcome !== 'placed'),
    )
    if (!obstacle) return undefined
    return obstacle.outcome === 'in_doubt' ? 'doubt' : 'failure'
  }
}

/** Returns what is left of each leg that has an order at one of the next places, from the first of these on. */
export function restOf(
  { legs }: BatchPlan,
  next: readonly number[],
): { place: number; order: OrderPayload }[][] {
  const first = Math.min(...next)
  let from = 0
  return legs.flatMap(({ orders }) => {
    const places = orders.map(({ order }, index) => ({ place: from + index, order }))
    from += orders.length
    const isNext = places.some(({ place }) => next.includes(place))
    return isNext ? [places.filter(({ place }) => place >= first)] : []
  })
}
