import { endFrom, endOfStop, type OrderEnd } from '../end.js'
import type { JournalRow } from './journal.js'

/** The cause of an end that only the complete book of a broker proves. */
const LOST = 'not_received'
export const NEVER_RECEIVED = 'The broker never received it'

/**
 * Returns the end of an order that closes a position. After proof that the broker never received it, a soon retry may send
 * it: the retry reads the position again.
 */
export function endOfClosing(end: OrderEnd): OrderEnd {
  if (end.outcome !== 'not_sent' || end.code !== LOST) return end
  const message = `${NEVER_RECEIVED}. Repeat the request to send it, if the position still needs it.`
  return { ...end, message, mayBeSent: true }
}

/** Returns whether the service stopped before it sent the order and answered its caller. */
export function wasNotSent({ endCause }: Pick<JournalRow, 'endCause'>): boolean {
  return endCause === 'stopped'
}

/** Returns the id that the caller received: that of the GTT, or of the order. */
export function idOf({ orderId, triggerId }: Pick<JournalRow, 'orderId' | 'triggerId'>): string | null {
  return triggerId ?? orderId
}

/**
 * Returns how the execution of an order ended, from its row. A rejected order keeps the end that was certain
 * at the time: the refusal of the broker, or the id of an order that the exchange rejected later.
 */
export function endOf(row: JournalRow): OrderEnd {
  const { orderRef } = row
  switch (row.state) {
    case 'accepted':
    case 'triggered':
    case 'partial':
    case 'filled':
    case 'cancelled':
    case 'lapsed':
      return { outcome: 'placed', orderRef, orderId: idOf(row) ?? '' }
    case 'rejected':
      // The GTT was placed. The broker rejected only the order that it sent when it fired.
      if (row.triggerId !== null && row.orderId !== null) {
        return { outcome: 'placed', orderRef, orderId: row.triggerId }
      }
      if (row.answer !== null) return endFrom(row.answer, orderRef)
      if (wasNotSent(row)) return endOfStop(orderRef, row.reason ?? undefined)
      if (row.endCause === LOST) return endOfLost(row)
      return {
        outcome: 'refused',
        orderRef,
        code: 'broker_rejected',
        message: row.reason ?? 'Failed to place order',
      }
    default:
      return { outcome: 'in_doubt', orderRef }
  }
}

/**
 * Returns the end of an order that the broker never received. The broker refused nothing. Its key keeps this end: nothing
 * checks again whether the order is still wanted, so only a new request sends it.
 */
function endOfLost({ orderRef, reason }: JournalRow): OrderEnd {
  const message = `${reason ?? NEVER_RECEIVED}. Send the order again under a new Idempotency-Key.`
  return { outcome: 'not_sent', orderRef, code: LOST, message }
}
