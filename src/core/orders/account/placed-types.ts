import type { BrokerOrder } from '../../brokers/broker.js'
import { isOrderRef } from '../order-ref.js'
import { mayShowAs, PRICE_TYPES, type PriceType, WAITING } from '../schema.js'

/**
 * Returns the price types that orders were last sent with, by our references: more than one while a change is in doubt. Leaves
 * out orders that are not ours.
 */
export type PlacedTypes = (orderRefs: readonly string[]) => Promise<ReadonlyMap<string, readonly PriceType[]>>

/**
 * Returns the orders of a broker's book with the price types that they were last sent with from here. Brokers show a MARKET order
 * that rests within its protection as LIMIT, and an SL-M order as SL: to a close the rest of it would look like an order that
 * may never fill. One that may be at the market counts as that, so that a close sends nothing for what it may still fill.
 */
export async function withPlacedTypes(
  orders: readonly BrokerOrder[],
  placedTypes: PlacedTypes,
): Promise<BrokerOrder[]> {
  const refs = orders.flatMap((order) => (mayBeProtected(order) ? [order.tag] : []))
  if (refs.length === 0) return [...orders]
  const types = await placedTypes(refs)
  return orders.map((order) => {
    const { priceType: shown } = order
    const sent = mayBeProtected(order) ? types.get(order.tag) : undefined
    const other = sent?.find((type) => type !== shown && mayShowAs(type, shown))
    return other === undefined ? order : { ...order, priceType: other }
  })
}

function mayBeProtected(order: BrokerOrder): order is BrokerOrder & { tag: string } {
  const { priceType, status, tag } = order
  return tag !== undefined && isOrderRef(tag) && WAITING.has(status) && isAmbiguous(priceType)
}

/** Returns whether a broker shows orders of several types so. */
function isAmbiguous(shown: PriceType): boolean {
  return PRICE_TYPES.filter((sent) => mayShowAs(sent, shown)).length > 1
}
