import type { BrokerContext, BrokerGtt } from '../../broker.js'
import { mapped } from '../../kit/books/mapping.js'
import { timeOfStamp } from '../../kit/books/stamps.js'
import { unitsOf } from '../master/lots.js'
import { contractOf, refOf } from '../symbols.js'
import type { KiteGtt } from './wire.js'

/** Our status of a GTT by Kite's. */
const STATUS_BY_KITE: Readonly<Record<string, BrokerGtt['status']>> = {
  active: 'active',
  disabled: 'disabled',
  triggered: 'triggered',
  expired: 'expired',
  cancelled: 'cancelled',
  deleted: 'cancelled',
  rejected: 'rejected',
}

/** Converts a row of the GTT book. */
export function toGtt(context: BrokerContext, row: KiteGtt): BrokerGtt {
  const { condition, created_at, expires_at, id, orders, updated_at } = row
  const contract = contractOf(context, condition)
  return {
    triggerId: String(id),
    type: orders.length > 1 ? 'two-leg' : 'single',
    ...endOf(context, row),
    ...refOf(context, condition),
    triggerPrices: condition.trigger_values,
    lastPrice: condition.last_price,
    legs: orders.map(({ price, product, quantity, transaction_type }) => ({
      action: transaction_type,
      quantity: unitsOf(contract, quantity),
      price,
      priceType: 'LIMIT',
      product,
    })),
    createdAt: timeOfStamp(created_at) || undefined,
    updatedAt: timeOfStamp(updated_at) || undefined,
    expiresAt: timeOfStamp(expires_at) || undefined,
  }
}

/**
 * Returns the status, and of one that fired its order, or why the order was refused. Kite marks a GTT as triggered before it
 * stores what became of its order.
 */
function endOf(
  context: BrokerContext,
  { orders, status: word }: KiteGtt,
): Pick<BrokerGtt, 'status' | 'triggeredOrderId' | 'rejectionReason'> {
  const status = mapped(context, 'gtt_status', STATUS_BY_KITE, word, 'active')
  if (status !== 'triggered') return { status }
  const results = orders.flatMap(({ result }) => result ?? [])
  const sent = results.find(({ order_id }) => order_id !== '')
  if (sent) return { status, triggeredOrderId: sent.order_id }
  const failed = results.find((result) => result.status === 'failed')
  if (failed) return { status: 'rejected', rejectionReason: failed.rejection_reason }
  return { status }
}
