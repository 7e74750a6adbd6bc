import { exactQuantity, fromMoney, type Money, toMoney, unitPrice } from '../../../money/index.js'
import {
  type Action,
  hasPrice,
  type OrderInstructions,
  type OrderProduct,
  type OrderRequest,
  type OrderStatus,
  type PriceType,
  WAITING,
} from '../../../orders/schema.js'
import { MINUTE_MS } from '../../../time/index.js'
import type { BrokerOrder } from '../../broker.js'

/** One hundred percent, as money. */
const PERCENT = toMoney(100)

/** An order as the exchange stores it. */
export interface ExchangeOrder {
  orderId: string
  tag: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  price: number
  triggerPrice: number
  priceType: PriceType
  product: OrderProduct
  status: OrderStatus
  filledQuantity: number
  /** Sum of price times quantity over its fills. */
  filledValue: Money
  rejectionReason: string
  /** Null for a plain order of the day. */
  instructions: OrderInstructions | null
  /** The opening that an AMO waits for, in epoch milliseconds; null for an order that trades at once. */
  opensAt: number | null
  /** The last price when the order came to the market: that of its protection. Null without one. */
  reference: number | null
  /** Epoch milliseconds. */
  placedAt: number
  updatedAt: number
}

/** A fill. It never changes. */
export interface ExchangeTrade {
  tradeId: string
  orderId: string
  symbol: string
  exchange: string
  action: Action
  quantity: number
  price: number
  product: OrderProduct
  /** Value of one unit at a price of 1 (crypto contracts). */
  multiplier: number
  timestamp: number
}

export function newOrder(order: OrderRequest, tag: string, orderId: string, now: number): ExchangeOrder {
  return {
    orderId,
    tag,
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: order.quantity,
    product: order.product,
    ...pricesOf(order),
    status: waitsForTrigger(order) ? 'trigger pending' : 'open',
    filledQuantity: 0,
    filledValue: 0n,
    rejectionReason: '',
    instructions: order.instructions ?? null,
    opensAt: null,
    reference: null,
    placedAt: now,
    updatedAt: now,
  }
}

/** Returns only the prices that the price type uses; the others are 0. */
export function pricesOf(
  order: Pick<OrderRequest, 'priceType' | 'price' | 'triggerPrice'>,
): Pick<ExchangeOrder, 'priceType' | 'price' | 'triggerPrice'> {
  const { priceType } = order
  return {
    priceType,
    price: hasPrice(priceType, 'price') ? order.price : 0,
    triggerPrice: waitsForTrigger(order) ? order.triggerPrice : 0,
  }
}

export function waitsForTrigger(order: { priceType: PriceType }): boolean {
  return hasPrice(order.priceType, 'trigger')
}

/** Returns whether the order can still trade, be modified or be cancelled. */
export function isActive(order: { status: OrderStatus }): boolean {
  return WAITING.has(order.status)
}

/** Returns whether the minutes of a TTL order are over. */
export function isOver({ instructions, placedAt }: ExchangeOrder, now: number): boolean {
  const minutes = instructions?.validityTtl
  return minutes !== undefined && now >= placedAt + minutes * MINUTE_MS
}

/** Returns the worst price of a protected MARKET or SL-M order: of a limit order from then on. Undefined for any other. */
export function protectedPrice({
  action,
  instructions,
  priceType,
  reference,
  triggerPrice,
}: ExchangeOrder): number | undefined {
  const percent = instructions?.marketProtection
  const from = priceType === 'SL-M' ? triggerPrice : reference
  if (percent === undefined || percent <= 0 || from === null) return undefined
  const price = toMoney(from)
  const band = (price * toMoney(percent)) / PERCENT
  return fromMoney(action === 'BUY' ? price + band : price - band)
}

export function remaining(order: { quantity: number; filledQuantity: number }): number {
  return exactQuantity(order.quantity - order.filledQuantity)
}

/** Returns the row of the order book. */
export function toBrokerOrder(order: ExchangeOrder): BrokerOrder {
  return {
    orderId: order.orderId,
    tag: order.tag,
    symbol: order.symbol,
    exchange: order.exchange,
    action: order.action,
    quantity: order.quantity,
    price: order.price,
    triggerPrice: order.triggerPrice,
    priceType: order.priceType,
    product: order.product,
    status: order.status,
    filledQuantity: order.filledQuantity,
    pendingQuantity: isActive(order) ? remaining(order) : 0,
    averagePrice: fromMoney(unitPrice(order.filledValue, order.filledQuantity)),
    rejectionReason: order.rejectionReason,
    timestamp: order.updatedAt,
  }
}
