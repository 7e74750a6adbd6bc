import { ServiceError } from '../../errors/index.js'
import type { OrderInDoubt } from '../journal/journal.js'

/**
 * Returns why nothing may be traded on a position while an order of it is in doubt. The broker's book may not list that
 * order yet, so the difference to the book would be traded a second time.
 */
export function doubtMessage({ orderRef }: OrderInDoubt): string {
  return (
    `Order ${orderRef} of this position is in doubt, so the position is not known. Nothing was sent for it; ` +
    'try again when that order is settled.'
  )
}

/** @throws ServiceError `unavailable` that names the first of these orders; passes when there is none */
export function requireNoDoubt(orders: readonly OrderInDoubt[]): void {
  const [first] = orders
  if (first)
    throw new ServiceError('unavailable', doubtMessage(first), { extra: { order_ref: first.orderRef } })
}
