import { mayShowAs, type OrderStatus, type PriceType } from '../../../orders/schema.js'
import type { BrokerContext, BrokerOrder, BrokerTrade } from '../../broker.js'
import { disclosedOf } from '../../kit/books/disclosed.js'
import { endingOf } from '../../kit/books/ending.js'
import { mapped } from '../../kit/books/mapping.js'
import { pendingOf } from '../../kit/books/pending.js'
import { timeOfStamp } from '../../kit/books/stamps.js'
import { placeOf, UNITS } from '../places.js'
import type { DhanOrder, DhanTrade } from '../wire.js'
import { PRICE_TYPE, productOf, STATUS } from '../words.js'

/**
 * Converts a row of the order book, or an order update.
 * @param asked the type that the order was asked for with, as far as it is known: Dhan shows a protected one as LIMIT or STOP_LOSS
 */
export function toOrder(context: BrokerContext, row: DhanOrder, asked: PriceType | undefined): BrokerOrder {
  const { contract, ref } = placeOf(context, row)
  const shown = mapped(context, 'order_type', PRICE_TYPE, row.orderType, 'LIMIT')
  const priceType = asked && mayShowAs(asked, shown) ? asked : shown
  const status = statusOf(context, row, shown)
  const placedAt = timeOfStamp(row.createTime)
  const quantity = UNITS.unitsOf(contract, row.quantity)
  const filledQuantity = UNITS.unitsOf(contract, row.filledQty)
  return {
    orderId: row.orderId,
    ...(row.correlationId && { tag: row.correlationId }),
    ...ref,
    action: row.transactionType,
    quantity,
    price: row.price,
    triggerPrice: row.triggerPrice,
    priceType,
    product: productOf(row.productType),
    status,
    ...endingOf(status, { validity: row.validity, word: row.orderStatus }),
    filledQuantity,
    pendingQuantity: pendingOf(status, quantity, filledQuantity),
    ...disclosedOf(UNITS.unitsOf(contract, row.disclosedQuantity)),
    averagePrice: row.averageTradedPrice,
    rejectionReason: status === 'rejected' ? row.omsErrorDescription : '',
    timestamp: timeOfStamp(row.updateTime) || timeOfStamp(row.exchangeTime) || placedAt,
    ...(placedAt > 0 && { placedAt }),
  }
}

/** A stop that has not fired is pending like any order, until a part of it is filled. */
function statusOf(context: BrokerContext, row: DhanOrder, shown: PriceType): OrderStatus {
  const isStop = shown === 'SL' || shown === 'SL-M'
  if (row.orderStatus === 'PENDING' && isStop && row.filledQty === 0) return 'trigger pending'
  return mapped(context, 'status', STATUS, row.orderStatus, 'open')
}

/** Converts a row of the trade book. */
export function toTrade(context: BrokerContext, row: DhanTrade): BrokerTrade {
  const { contract, ref } = placeOf(context, row)
  return {
    tradeId: row.exchangeTradeId,
    orderId: row.orderId,
    ...ref,
    action: row.transactionType,
    quantity: UNITS.unitsOf(contract, row.tradedQuantity),
    price: row.tradedPrice,
    product: productOf(row.productType),
    timestamp: timeOfStamp(row.exchangeTime) || timeOfStamp(row.createTime),
  }
}
