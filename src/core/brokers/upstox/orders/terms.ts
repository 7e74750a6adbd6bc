import type { Instrument } from '../../../instruments/schema.js'
import { hasPrice, type OrderRequest } from '../../../orders/schema.js'
import { notSent } from '../../kit/http/outcomes.js'
import { UNITS } from '../contracts.js'

/** The fields that placing and changing share. A price that the order has not is 0. */
interface Terms {
  quantity: number
  validity: string
  price: number
  trigger_price: number
  order_type: string
  disclosed_quantity: number
}

/**
 * Returns the fields that placing and changing share.
 * @param standing what counts where the instructions say nothing: on a change, the validity that the order has
 * @throws BrokerError, never sent
 */
export function termsOf(order: OrderRequest, instrument: Instrument, standing: { validity: string }): Terms {
  const { disclosedQuantity, price, priceType, quantity, triggerPrice } = order
  const validity = order.instructions?.validity ?? standing.validity
  if (validity === 'TTL') throw notSent('unsupported', 'Upstox has no orders with validity TTL.')
  return {
    quantity: UNITS.brokerCount(instrument, quantity),
    validity: validity || 'DAY',
    price: hasPrice(priceType, 'price') ? price : 0,
    trigger_price: hasPrice(priceType, 'trigger') ? triggerPrice : 0,
    order_type: priceType,
    disclosed_quantity:
      disclosedQuantity > 0 ? UNITS.brokerCount(instrument, disclosedQuantity, 'Disclosed quantity') : 0,
  }
}

/** Returns the header that names a registered algorithm. */
export function algoHeader({ instructions }: OrderRequest): Readonly<Record<string, string>> {
  const algoId = instructions?.algoId
  return algoId === undefined ? {} : { 'X-Algo-Name': algoId }
}
