import type { BrokerManifest } from '../../brokers/broker.js'
import { ORDER_PRODUCTS, type OrderProduct, PRODUCTS } from '../schema.js'

type Closing = Pick<BrokerManifest, 'closesProducts' | 'displayName'>

/**
 * Returns the product of an order that closes a position: the position's own, because an order in another product opens
 * a second position or sells shares that were delivered. A problem, if no order of ours has that product.
 */
export function closingProduct(
  product: string,
  { closesProducts = [], displayName }: Closing,
): { product: OrderProduct } | { problem: string } {
  const known = ORDER_PRODUCTS.find((one) => one === product)
  const closable: readonly string[] = [...PRODUCTS, ...closesProducts]
  if (known !== undefined && closable.includes(known)) return { product: known }
  return {
    problem: `Close it at ${displayName}: a position in ${product} ends with an order that only the broker's own terminal sends`,
  }
}
