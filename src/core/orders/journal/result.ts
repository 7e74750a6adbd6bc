import { endFrom, endOfStop, type OrderEnd } from '../end.js'
import type { JournalRow } from './journal.js'

export const INTERRUPTED =
  'The service stopped while this was being carried out. Look at the account before sending it again.'

const RESUME_WITHIN_MS = 15 * 60_000

/**
 * Whether the unsent orders of a request of that moment may still be sent: a later retry meets another market. A clock
 * that was set back makes nothing young again.
 */
export function isRecent(createdAt: number, now: number): boolean {
  return Math.abs(now - createdAt) <= RESUME_WITHIN_MS
}

/** Whether a stop of the service came before the order was sent, and before its caller was answered. */
export function wasNotSent({ endCause }: Pick<JournalRow, 'endCause'>): boolean {
  return endCause === 'stopped'
}

/**
 * How the execution of an order ended, by its row. A rejected order has the end of its execution where that was certain
 * at the time: the refusal of the broker, or the id of an order that the exchange rejected later.
 */
export function endOf(row: JournalRow): OrderEnd {
  const { orderRef } = row
  switch (row.state) {
    case 'accepted':
    case 'partial':
    case 'filled':
    case 'cancelled':
    case 'lapsed':
      return { outcome: 'placed', orderRef, orderId: row.orderId ?? '' }
    case 'rejected':
      if (row.answer !== null) return endFrom(row.answer, orderRef)
      if (wasNotSent(row)) return endOfStop(orderRef)
      return {
        ...{ outcome: 'refused', orderRef, code: 'broker_rejected' },
        message: row.reason ?? 'Failed to place order',
      }
    default:
      return { outcome: 'in_doubt', orderRef }
  }
}
