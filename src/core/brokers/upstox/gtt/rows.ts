import type { BrokerContext, BrokerGtt } from '../../broker.js'
import { mapped } from '../../kit/books/mapping.js'
import { contractOf, refOf, UNITS } from '../contracts.js'
import { productOf } from '../mappings.js'
import type { UpstoxGtt, UpstoxRule } from './wire.js'

/** Our status of a rule by Upstox's. One that has sent an order has fired, whatever its word is. */
const STATUS_BY_UPSTOX: Readonly<Record<string, BrokerGtt['status']>> = {
  SCHEDULED: 'active',
  PENDING: 'active',
  OPEN: 'active',
  TRIGGERED: 'triggered',
  COMPLETED: 'triggered',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
  FAILED: 'rejected',
  REJECTED: 'rejected',
}

/** Converts a row of the GTT book. Of a multiple one, which only another program places, the first rule decides. */
export function toGtt(context: BrokerContext, row: UpstoxGtt): BrokerGtt {
  const about = { ...row, instrument_key: '', tradingsymbol: '' }
  const ref = refOf(context, about)
  const quantity = UNITS.unitsOf(contractOf(context, about), row.quantity)
  return {
    triggerId: row.gtt_order_id,
    type: row.rules.length > 1 ? 'two-leg' : 'single',
    ...endOf(context, row.rules),
    ...ref,
    triggerPrices: row.rules.map(({ trigger_price }) => trigger_price),
    // Upstox does not keep it.
    lastPrice: 0,
    legs: row.rules.map(({ transaction_type }) => ({
      action: transaction_type,
      quantity,
      price: 0,
      priceType: 'MARKET',
      product: productOf(row.product, ref.exchange),
    })),
    createdAt: row.created_at,
    updatedAt: undefined,
    expiresAt: row.expires_at,
  }
}

/** Returns the status, and of one that fired its order, or why the order was refused. */
function endOf(
  context: BrokerContext,
  [rule]: readonly UpstoxRule[],
): Pick<BrokerGtt, 'status' | 'triggeredOrderId' | 'rejectionReason'> {
  const { message = '', order_id: orderId = '', status: word = '' } = rule ?? {}
  const status = mapped(context, 'gtt_status', STATUS_BY_UPSTOX, word, 'active')
  if (status === 'rejected') return { status, rejectionReason: message }
  return orderId === '' ? { status } : { status: 'triggered', triggeredOrderId: orderId }
}
