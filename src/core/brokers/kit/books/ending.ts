import type { OrderStatus } from '../../../orders/schema.js'
import type { BrokerOrder } from '../../broker.js'

const IS_BEING_CANCELLED = /^cancel[ _]pending$/i

/**
 * Returns why an order fills or ends at this moment, for its row. An IOC stop waits until it is triggered.
 * @param word the broker's own status
 */
export function endingOf(
  status: OrderStatus,
  { validity, word }: { validity: string; word: string },
): Pick<BrokerOrder, 'ending'> {
  if (status !== 'open') return {}
  if (IS_BEING_CANCELLED.test(word.trim())) return { ending: 'cancel' }
  return validity.trim().toUpperCase() === 'IOC' ? { ending: 'IOC' } : {}
}
