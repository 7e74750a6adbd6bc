import type { BrokerOrder } from '../../broker.js'

/**
 * Returns what of an order update cannot be true; undefined if all of it can. A broken one must not be recorded as a fill: the
 * next comparison with the book tells what is true.
 */
export function faultOfUpdate({
  averagePrice,
  filledQuantity,
  orderId,
  quantity,
  status,
}: BrokerOrder): string | undefined {
  if (orderId === '') return 'the id'
  if (!isAmount(quantity)) return 'the quantity'
  if (!isAmount(filledQuantity)) return 'the fill'
  // Some updates do not tell the quantity.
  if (quantity > 0 && filledQuantity > quantity) return 'a fill above the quantity'
  // It would end the order, and nobody would look for the rest of its fill.
  if (status === 'complete' && (filledQuantity === 0 || filledQuantity < quantity))
    return 'a completion without its whole fill'
  return isAmount(averagePrice) ? undefined : 'the price'
}

function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0
}
