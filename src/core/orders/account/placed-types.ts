import type { BrokerOrder } from '../../brokers/broker.js'
import { isOrderRef } from '../order-ref.js'
import type { OrderStatus, PriceType } from '../schema.js'

/** Returns the price types that orders were last sent with, by our references; leaves out those that are not ours. */
export type PlacedTypes = (orderRefs: readonly string[]) => Promise<ReadonlyMap<string, PriceType>>

const WAITS: ReadonlySet<OrderStatus> = new Set(['open', 'trigger pending'])
/** The type of an order by the one that a broker may show for it: it sends the order with a limit as its protection. */
const SHOWN_FOR: Readonly<Partial<Record<PriceType, PriceType>>> = { LIMIT: 'MARKET', SL: 'SL-M' }

/**
 * Returns the orders of a broker's book with the price types that they were last sent with from here. Brokers show a MARKET order
 * that rests within its protection as LIMIT, and an SL-M order as SL: to a close the rest of it would look like an order that
 * may never fill.
 */
export async function withPlacedTypes(
  orders: readonly BrokerOrder[],
  placedTypes: PlacedTypes,
): Promise<BrokerOrder[]> {
  const refs = orders.flatMap((order) => (mayBeProtected(order) ? [order.tag] : []))
  if (refs.length === 0) return [...orders]
  const types = await placedTypes(refs)
  return orders.map((order) => {
    const placed = mayBeProtected(order) ? types.get(order.tag) : undefined
    return placed !== undefined && SHOWN_FOR[order.priceType] === placed
      ? { ...order, priceType: placed }
      : order
  })
}

function mayBeProtected(order: BrokerOrder): order is BrokerOrder & { tag: string } {
  const { priceType, status, tag } = order
  return tag !== undefined && isOrderRef(tag) && WAITS.has(status) && SHOWN_FOR[priceType] !== undefined
}
