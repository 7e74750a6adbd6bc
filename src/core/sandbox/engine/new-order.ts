import { symbolKey } from '../../market/schema.js'
import type { PositionRef } from '../../orders/schema.js'
import { MINUTE_MS } from '../../time/index.js'
import type { SandboxOrder } from '../schema.js'
import type { OrderDraft } from './acceptance.js'
import { initialStatus } from './matching.js'

/** The user who places an order, and the id the order gets. */
export interface OrderTicket {
  userId: string
  orderId: string
  /** The GTT leg that sends the order. */
  gttLegId?: string
  /** True if a run of a strategy sends it. */
  ofRun?: boolean
}

/**
 * Returns an order as it arrives: no margin blocked, nothing filled.
 * @param opensAt the opening that it waits for; null if it trades at once
 */
export function newOrder(
  { userId, orderId, gttLegId, ofRun }: OrderTicket,
  draft: OrderDraft,
  now: number,
  opensAt: number | null = null,
): SandboxOrder {
  const { request } = draft
  const { algoId, icebergLegs, marketProtection, validity, validityTtl } = request.instructions ?? {}
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
    ofRun: ofRun ?? false,
    validity: validity ?? null,
    expiresAt: validityTtl === undefined ? null : now + validityTtl * MINUTE_MS,
    opensAt,
    icebergLegs: icebergLegs ?? null,
    marketProtection: marketProtection ?? null,
    algoId: algoId ?? null,
    createdAt: now,
    updatedAt: now,
  }
}

export function positionKey(ref: PositionRef): string {
  return `${symbolKey(ref)}:${ref.product}`
}
