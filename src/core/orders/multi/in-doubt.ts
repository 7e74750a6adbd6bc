import { ServiceError } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import type { OrderInDoubt } from '../journal/journal.js'

/** The longest wait for the answer to an order that is being sent. Most answers come within this time. */
const ANSWER_WAIT_MS = 2_000
const PAUSE_MS = 25

/**
 * Returns the orders in doubt that concern a request. An order that is only being sent has its answer soon, so
 * the call waits for it: an order of another client must not make a close or a smart order fail.
 */
export async function afterAnswers(
  read: () => Promise<readonly OrderInDoubt[]>,
  concerns: (order: OrderInDoubt) => boolean,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<readonly OrderInDoubt[]> {
  const until = clock.monotonic() + ANSWER_WAIT_MS
  for (;;) {
    const orders = (await read()).filter(concerns)
    if (!orders.some(({ state }) => state !== 'unknown') || clock.monotonic() >= until) return orders
    await clock.sleep(PAUSE_MS)
  }
}

/**
 * Returns why nothing may be traded on a position while an order of it is in doubt. The broker's book may not
 * list that order yet, so the difference to the book would be traded a second time.
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
