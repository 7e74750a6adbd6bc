import type { Instrument } from '../../../instruments/schema.js'
import { hasPrice, type OrderRequest } from '../../../orders/schema.js'
import { notSent } from '../../kit/http/outcomes.js'
import { isCountedInLots, kiteCount } from '../master/lots.js'

type Form = Readonly<Record<string, string>>

/** What counts where the instructions of an order say nothing: on a change, what the order has. */
export interface Standing {
  validity: string
  /** Minutes; 0 unless the validity is TTL. */
  validityTtl: number
  /** Percent, -1 for the exchange's own band. */
  marketProtection: number
}

/**
 * Returns the fields that placing and modifying share: quantity, prices, validity and protection. Kite refuses a MARKET or
 * SL-M order without protection, and a change to one of them.
 * @throws BrokerError, never sent
 */
export function termsOf(order: OrderRequest, instrument: Instrument, standing: Standing): Form {
  const { priceType } = order
  const disclosed = order.disclosedQuantity
  const protection = order.instructions?.marketProtection ?? standing.marketProtection
  return {
    // Kite's names are ours.
    order_type: priceType,
    quantity: String(kiteCount(instrument, order.quantity)),
    ...validityOf(order, standing),
    ...(hasPrice(priceType, 'price') && { price: String(order.price) }),
    ...(hasPrice(priceType, 'trigger') && { trigger_price: String(order.triggerPrice) }),
    ...(!hasPrice(priceType, 'price') && { market_protection: String(protection) }),
    ...(disclosed > 0 && {
      disclosed_quantity: String(kiteCount(instrument, disclosed, 'Disclosed quantity')),
    }),
  }
}

function validityOf({ instructions }: OrderRequest, standing: Standing): Form {
  const { validity, validityTtl } = instructions?.validity ? instructions : standing
  if (validity !== 'TTL') return { validity: validity || 'DAY' }
  if (!validityTtl) throw notSent('validation', 'An order with validity TTL needs its life in minutes.')
  return { validity, validity_ttl: String(validityTtl) }
}

/**
 * Returns the variety of a new order, and the fields that only a new order has.
 * @throws BrokerError, never sent
 */
export function placementOf(order: OrderRequest, instrument: Instrument): { variety: string; form: Form } {
  const { algoId, amo, icebergLegs } = order.instructions ?? {}
  if (amo && icebergLegs !== undefined)
    throw notSent('unsupported', 'Zerodha takes an order after market hours (amo) or an iceberg, not both.')
  return {
    variety: amo ? 'amo' : icebergLegs === undefined ? 'regular' : 'iceberg',
    form: {
      ...(icebergLegs !== undefined && icebergOf(order, instrument, icebergLegs)),
      ...(algoId !== undefined && { algo_id: algoId }),
    },
  }
}

/** Returns the fields that cut an order into legs of whole lots, the last of which may be smaller. */
function icebergOf({ quantity }: OrderRequest, instrument: Instrument, legs: number): Form {
  const count = kiteCount(instrument, quantity)
  const lot = isCountedInLots(instrument) ? 1 : Math.max(1, instrument.lotSize)
  const size = Math.ceil(count / legs / lot) * lot
  if (size * (legs - 1) >= count)
    throw notSent('validation', `A quantity of ${quantity} cannot be cut into ${legs} iceberg legs.`)
  return { iceberg_legs: String(legs), iceberg_quantity: String(size) }
}
