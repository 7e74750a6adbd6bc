import { type OrderStatus, WAITING } from '../../../orders/schema.js'

/**
 * Returns how much of an order may still trade. Brokers have a figure of their own, which is not read: some leave it out of an
 * order that is on its way to the exchange, and keep it in one that has ended.
 */
export function pendingOf(status: OrderStatus, quantity: number, filledQuantity: number): number {
  return WAITING.has(status) ? Math.max(0, quantity - filledQuantity) : 0
}
