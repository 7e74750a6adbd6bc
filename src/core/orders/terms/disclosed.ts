/**
 * Returns the disclosed quantity of an order whose change names none: that which it has, and not more than the quantity that
 * it will have. A request without it would show the market all of the order.
 * @param own that of the row of the order book; undefined where the market sees all
 */
export function keptDisclosed(own: number | undefined, quantity: number): number {
  return Math.min(own ?? 0, quantity)
}
