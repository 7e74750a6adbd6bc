import { type Answer, failure, success } from './answer.js'
import type { JournalRow } from './journal.js'

export const UNKNOWN_OUTCOME =
  'The outcome is not known: the order may have reached the broker. Do not send it again; follow its reference.'

/** The answer that fits what the journal knows of an order. */
export function answerFor(row: JournalRow): Answer {
  switch (row.state) {
    case 'accepted':
    case 'partial':
    case 'filled':
    case 'cancelled':
      return success({ orderid: row.orderId ?? '' }, row.orderRef)
    case 'rejected':
      return failure('broker_rejected', 500, row.reason ?? 'Failed to place order', {}, row.orderRef)
    default:
      return failure('outcome_unknown', 504, UNKNOWN_OUTCOME, { order_ref: row.orderRef }, row.orderRef)
  }
}
