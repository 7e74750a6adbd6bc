import { refusal, type UnplacedResult } from '../result.js'
import { ORDER_PRODUCTS, type OrderRequest } from '../schema.js'

/** A field that every change repeats: its name, the value that stays, and the value that the change names. */
type FixedTerm = readonly [field: string, now: string, then: string]

/** The members of an order that no change moves. */
type FixedTerms = Readonly<Record<'symbol' | 'exchange' | 'action' | 'product', string>>

/** Returns the refusal of a change that names another value for a field that stays. */
export function fixedTermsRefusal(
  what: 'order' | 'GTT',
  terms: readonly FixedTerm[],
): UnplacedResult | undefined {
  const changed = terms.find(([, now, then]) => now !== then)
  if (!changed) return undefined
  const [field, now, then] = changed
  const rule = `cannot be changed on an existing ${what} (${now} -> ${then}). Cancel and re-place.`
  return { ...refusal('validation', `${field} ${rule}`), shown: { errors: { [field]: [rule] } } }
}

/**
 * Returns the refusal of a change that names another instrument, side or product than its order has. A broker changes the order
 * of the id, while the gate, and the conversion into lots, would use the instrument of the change.
 */
export function otherOrderRefusal(now: FixedTerms, order: OrderRequest): UnplacedResult | undefined {
  // No change can name the product of a cover or bracket order, so it names none.
  const isNamable = ORDER_PRODUCTS.some((product) => product === now.product)
  return fixedTermsRefusal('order', [
    ['symbol', now.symbol, order.symbol],
    ['exchange', now.exchange, order.exchange],
    ['action', now.action, order.action],
    ['product', isNamable ? now.product : order.product, order.product],
  ])
}
