import type { SandboxOrder } from '../schema.js'
import type { OrderDraft } from './acceptance.js'
import { initialStatus } from './matching.js'

/** Who places an order, and the id it will have. */
export interface OrderTicket {
  userId: string
  orderId: string
  /** The leg of the GTT that sends it. */
  gttLegId?: string
}

/** An order as it arrives: nothing held for it, nothing filled. */
export function newOrder(
  { userId, orderId, gttLegId }: OrderTicket,
  draft: OrderDraft,
  now: number,
): SandboxOrder {
  const { request } = draft
  return {
    orderId,
    userId,
    strategy: request.strategy,
    symbol: request.symbol,
    exchange: request.exchange,
    action: request.action,
    quantity: request.quantity,
    price: draft.price,
    triggerPrice: draft.triggerPrice,
    priceType: request.priceType,
    product: request.product,
    status: initialStatus(request.priceType),
    averagePrice: 0n,
    filledQuantity: 0,
    rejectionReason: '',
    margin: 0n,
    marginQuantity: 0,
    gttLegId: gttLegId ?? null,
    createdAt: now,
    updatedAt: now,
  }
}
