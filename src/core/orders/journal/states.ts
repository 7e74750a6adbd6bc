/**
 * The states of a journalled order. A request that is denied before it is stored has no row: nothing was sent.
 * Requests that wait for approval are rows of the approval queue.
 *
 *   claimed ─► sending ─► accepted ─► partial ─► filled | cancelled
 *      │          │  └───► rejected
 *      └► rejected └─────► unknown ─► accepted | rejected
 *
 * `triggered` is a GTT that fired: its row follows the order that it sent to the end. The order of a lapsed one may come later.
 *
 * `lapsed` is an order of an earlier session that the broker's book no longer lists. It is not open any
 * more, and its end is not known. A later report of the broker still counts, and a person may settle it.
 *
 * `claimed` waits for its slot at the broker: after a crash it was certainly not sent. Recovery then rejects
 * it, and a retry by its caller may claim it again. A person may settle an order in doubt as `rejected`,
 * or as `cancelled` with a part filled; a later report of more fills still counts.
 */
export const ORDER_STATES = [
  'claimed',
  'sending',
  'accepted',
  'triggered',
  'rejected',
  'unknown',
  'partial',
  'filled',
  'cancelled',
  'lapsed',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** The states that may follow each state. The journal drops any other change: the report is stale. */
const NEXT: Readonly<Record<OrderState, readonly OrderState[]>> = {
  claimed: ['sending', 'accepted', 'rejected'],
  sending: ['accepted', 'rejected', 'unknown', 'partial', 'filled', 'cancelled'],
  accepted: ['triggered', 'partial', 'filled', 'cancelled', 'rejected', 'lapsed'],
  triggered: ['partial', 'filled', 'cancelled', 'rejected', 'lapsed'],
  unknown: ['accepted', 'rejected', 'partial', 'filled', 'cancelled'],
  // Repeats while the fills grow.
  partial: ['partial', 'filled', 'cancelled', 'rejected', 'lapsed'],
  filled: [],
  rejected: ['partial', 'filled', 'cancelled'],
  cancelled: ['partial', 'filled', 'cancelled'],
  lapsed: ['accepted', 'triggered', 'partial', 'filled', 'cancelled', 'rejected'],
}

/** Returns whether only a report of more fills makes this change: without them it is stale, or says the same again. */
export function needsFills(from: OrderState, to: OrderState): boolean {
  return from === to || from === 'cancelled' || (from === 'rejected' && to === 'cancelled')
}

export function mayFollow(from: OrderState, to: OrderState): boolean {
  return NEXT[from].includes(to)
}

/** Returns the states from which `to` may be reached, for a conditional update. */
export function statesBefore(to: OrderState): OrderState[] {
  return ORDER_STATES.filter((from) => mayFollow(from, to))
}
