import { answerFrom, failure, type OrderResult, success } from '../result.js'
import type { JournalRow } from './journal.js'

export const UNKNOWN_OUTCOME =
  'The outcome is not known: the order may have reached the broker. Do not send it again; follow its reference.'

export const INTERRUPTED =
  'The service stopped while this was being carried out. Look at the account before sending it again.'

/** The reason of an order that was never sent, and never will be unless its caller soon asks again under its key. */
export const NOT_SENT = 'Not sent: the service stopped before it came to this order.'

const RESUME_WITHIN_MS = 15 * 60_000

/**
 * Whether the unsent orders of a request of that moment may still be sent: a later retry meets another market. A clock that
 * was set back makes nothing young again.
 */
export function isRecent(createdAt: number, now: number): boolean {
  return Math.abs(now - createdAt) <= RESUME_WITHIN_MS
}

/** Whether a crash came before the order was sent, and before anybody was told how it ended. */
export function wasNotSent({ endCause }: Pick<JournalRow, 'endCause'>): boolean {
  return endCause === 'stopped'
}

/**
 * The answer that fits what the journal knows of an order. Of a rejected one it is the answer of its request, if that
 * was certain at the time: what the broker refused with, or the id it gave an order that the exchange rejected later.
 */
export function answerFor(row: JournalRow): OrderResult {
  switch (row.state) {
    case 'accepted':
    case 'partial':
    case 'filled':
    case 'cancelled':
    case 'lapsed':
      return success({ [idField(row)]: row.orderId ?? '' }, row.orderRef)
    case 'rejected':
      if (row.answer !== null) return answerFrom(row.answer, row.orderRef)
      if (wasNotSent(row)) return failure('unavailable', 503, NOT_SENT, {}, row.orderRef)
      if (row.mode === 'analyze') return failure('refused', 400, row.reason ?? 'Refused', {}, row.orderRef)
      return failure('broker_rejected', 500, row.reason ?? 'Failed to place order', {}, row.orderRef)
    default:
      return failure('outcome_unknown', 504, UNKNOWN_OUTCOME, { order_ref: row.orderRef }, row.orderRef)
  }
}

/** The name by which the API gives the id of what was placed. */
function idField(row: JournalRow): 'orderid' | 'trigger_id' {
  return row.operation === 'placegttorder' ? 'trigger_id' : 'orderid'
}
