import { partCount } from '../../money/index.js'

/** The exchanges that refuse an order which shows less than a tenth of its quantity. */
const NEED_A_TENTH: ReadonlySet<string> = new Set(['NSE', 'BSE'])

/** An order that a change is for, as its row in the order book has it. */
interface DisclosedOrder {
  exchange: string
  quantity: number
  /** Undefined where the market sees all. */
  disclosed: number | undefined
}

/**
 * Returns the disclosed quantity of an order whose change names none: that which it has, and not more than the quantity that
 * it will have. A request without it would show the market all of the order.
 *
 * An order that grows shows at least the tenth that its exchange requires. The change would be refused otherwise, and there is
 * no smaller part to show; whoever asks for the change tells it.
 */
export function keptDisclosed(
  { disclosed = 0, exchange, quantity: own }: DisclosedOrder,
  quantity: number,
): number {
  if (disclosed <= 0) return 0
  // A tenth, rounded up.
  const least = quantity > own && NEED_A_TENTH.has(exchange) ? partCount(quantity, 10) : 0
  return Math.min(Math.max(disclosed, least), quantity)
}

/** Returns how much of an order the market sees, in the words of a review; undefined where it sees all. */
export function disclosedText(disclosed: number, quantity: number): string | undefined {
  return disclosed > 0 ? `the market sees ${disclosed} of ${quantity}` : undefined
}
