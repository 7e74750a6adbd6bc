import type { BrokerGtt, BrokerOrder } from '../../../brokers/broker.js'
import type { Fill, StateDetail } from '../journal.js'
import type { OrderState } from '../states.js'

/** An order in doubt as the broker's book lists it. */
export interface Found extends Pick<StateDetail, 'orderId' | 'triggerId' | 'reason'> {
  state: OrderState
  filled?: Fill
}

/** A broker's status as a state of the journal. An order that only rests is accepted. */
const STATE_OF_STATUS: Readonly<Record<BrokerOrder['status'], OrderState>> = {
  open: 'accepted',
  'trigger pending': 'accepted',
  complete: 'filled',
  cancelled: 'cancelled',
  rejected: 'rejected',
}

/**
 * A GTT's status as a state of the journal. The comparison of open orders records that a GTT has fired, and
 * follows its order.
 */
const STATE_OF_GTT: Readonly<Record<BrokerGtt['status'], OrderState>> = {
  active: 'accepted',
  disabled: 'accepted',
  triggered: 'accepted',
  cancelled: 'cancelled',
  expired: 'cancelled',
  rejected: 'rejected',
}

export function foundOrder({
  averagePrice,
  filledQuantity,
  orderId,
  rejectionReason,
  status,
}: BrokerOrder): Found {
  const filled = { quantity: filledQuantity, price: averagePrice }
  const found = { orderId, state: STATE_OF_STATUS[status], filled }
  return rejectionReason ? { ...found, reason: rejectionReason } : found
}

export function foundGtt({ status, triggerId }: BrokerGtt): Found {
  return { triggerId, state: STATE_OF_GTT[status] }
}
