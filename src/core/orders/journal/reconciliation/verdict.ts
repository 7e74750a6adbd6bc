import { ServiceError } from '../../../errors/index.js'
import type { JournalRow, StateDetail } from '../journal.js'
import type { OrderState } from '../states.js'

/**
 * How an order ended, as a person says it. `accepted`: the broker has it, and it may still trade. `rejected`: the broker
 * does not have it, or it fills no further. `filled`: it filled at this price, by default its whole quantity.
 */
export interface Verdict {
  outcome: 'accepted' | 'rejected' | 'filled'
  /** The broker's id of the order. */
  orderId?: string | undefined
  /** The filled quantity. */
  quantity?: number | undefined
  price?: number | undefined
  /** The source of this knowledge. The journal keeps it. */
  reason: string
  /** The person. */
  by: string
  /** True to settle an order although the broker's book could not be read. */
  force?: boolean | undefined
}

const GTT = 'placegttorder'

/** Returns whether nobody knows how an order ended, so that a person may say it. */
export function mayBeSettled({ state }: Pick<JournalRow, 'state'>): boolean {
  return state === 'unknown' || state === 'lapsed'
}

/**
 * Returns the change of the journal that a verdict asks for. An order that filled in part and whose session is over is
 * cancelled with its fill. @throws ServiceError if the verdict does not fit the order
 */
export function changeBy(
  { outcome, orderId, price = 0, quantity }: Verdict,
  row: JournalRow,
): { state: OrderState; detail: StateDetail } {
  const isGtt = row.operation === GTT
  const detail: StateDetail = {
    endCause: 'settled',
    ...(orderId !== undefined && (isGtt ? { triggerId: orderId } : { orderId })),
  }
  if (outcome === 'accepted' && row.state === 'lapsed') {
    const message = `Order ${row.orderRef} is lapsed: its session is over, so it is filled or rejected, and no longer open.`
    throw new ServiceError('conflict', message)
  }
  if (outcome !== 'filled') return { state: outcome, detail }
  const whole = Number(row.quantity)
  const filled = quantity ?? whole
  if (isGtt) throw new ServiceError('conflict', `Order ${row.orderRef} is a GTT: it is accepted or rejected.`)
  if (filled > whole) {
    const message = `Must be at most ${whole}, the quantity of the order.`
    throw new ServiceError('validation', message, { errors: { quantity: [message] } })
  }
  const { endCause: _, ...ids } = detail
  return {
    state: filled === whole ? 'filled' : 'cancelled',
    detail: { ...ids, filled: { quantity: filled, price } },
  }
}
