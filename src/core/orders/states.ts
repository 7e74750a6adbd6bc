/**
 * The life of a journalled order. `received` and `denied` are answered to the caller and logged, but keep no
 * row: nothing was sent. `awaiting_approval`, `refused` and `expired` live in the approval queue.
 *
 *   claimed ─► sending ─► accepted ─► partial ─► filled | cancelled
 *      │          │  └───► rejected
 *      └► rejected └─────► unknown ─► accepted | rejected
 *
 * An order of several that was `rejected` because a crash came before it was sent may be `claimed` once more, when
 * its caller asks again.
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
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** Which states may follow which. A change the table does not list is dropped: it is old news. */
const NEXT: Readonly<Record<OrderState, readonly OrderState[]>> = {
  claimed: ['sending', 'accepted', 'rejected'],
  sending: ['accepted', 'rejected', 'unknown', 'partial', 'filled', 'cancelled'],
  accepted: ['partial', 'filled', 'cancelled', 'rejected'],
  unknown: ['accepted', 'rejected', 'partial', 'filled', 'cancelled'],
  partial: ['filled', 'cancelled', 'rejected'],
  filled: [],
  rejected: [],
  cancelled: [],
}

export function mayFollow(from: OrderState, to: OrderState): boolean {
  return NEXT[from].includes(to)
}

/** The states from which `to` may be reached, for a conditional update. */
export function statesBefore(to: OrderState): OrderState[] {
  return ORDER_STATES.filter((from) => mayFollow(from, to))
}

/** States in which the broker may still have, or get, the order. */
export const OPEN_STATES: readonly OrderState[] = ['claimed', 'sending', 'unknown', 'accepted', 'partial']
