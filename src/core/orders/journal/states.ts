/**
 * The life of a journalled order. `received` and `denied` are answered to the caller and logged, but keep no
 * row: nothing was sent. `awaiting_approval`, `refused` and `expired` live in the approval queue.
 *
 *   claimed ─► sending ─► accepted ─► partial ─► filled | cancelled
 *      │          │  └───► rejected
 *      └► rejected └─────► unknown ─► accepted | rejected
 *
 * `lapsed` is an open order of an earlier session that the broker's book no longer lists: it is not open, and nobody
 * tells how it ended. Whatever the broker tells of it later counts.
 *
 * `claimed` waits for its turn at the broker: a crash finds it not sent, for certain. One that was `rejected` for that
 * may be `claimed` once more, when its caller asks again. A person may have called an order in doubt `rejected`; a fill
 * the broker then tells of is a fact all the same.
 */
export const ORDER_STATES = [
  'claimed',
  'sending',
  'accepted',
  'rejected',
  'unknown',
  'partial',
  'filled',
  'cancelled',
  'lapsed',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** Which states may follow which. A change the table does not list is dropped: it is old news. */
const NEXT: Readonly<Record<OrderState, readonly OrderState[]>> = {
  claimed: ['sending', 'accepted', 'rejected'],
  sending: ['accepted', 'rejected', 'unknown', 'partial', 'filled', 'cancelled'],
  accepted: ['partial', 'filled', 'cancelled', 'rejected', 'lapsed'],
  unknown: ['accepted', 'rejected', 'partial', 'filled', 'cancelled'],
  // Again and again, while the fills grow.
  partial: ['partial', 'filled', 'cancelled', 'rejected', 'lapsed'],
  filled: [],
  rejected: ['partial', 'filled'],
  cancelled: [],
  lapsed: ['partial', 'filled', 'cancelled', 'rejected'],
}

export function mayFollow(from: OrderState, to: OrderState): boolean {
  return NEXT[from].includes(to)
}

/** The states from which `to` may be reached, for a conditional update. */
export function statesBefore(to: OrderState): OrderState[] {
  return ORDER_STATES.filter((from) => mayFollow(from, to))
}
