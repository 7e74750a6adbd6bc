import type { BrokerContext, BrokerOrder, BrokerTrade } from '../../broker.js'
import { disclosedOf } from '../../kit/books/disclosed.js'
import { endingOf } from '../../kit/books/ending.js'
import { mapped } from '../../kit/books/mapping.js'
import { pendingOf } from '../../kit/books/pending.js'
import { timeOfStamp } from '../../kit/books/stamps.js'
import { contractOf, refOf, UNITS } from '../contracts.js'
import { PRICE_TYPE_BY_UPSTOX, productOf, STATUS_BY_UPSTOX } from '../mappings.js'
import type { UpstoxOrder, UpstoxTrade } from '../wire.js'

/** Converts a row of the order book, or an order update of the feed. */
export function toOrder(context: BrokerContext, row: UpstoxOrder): BrokerOrder {
  const contract = contractOf(context, row)
  const status = mapped(context, 'status', STATUS_BY_UPSTOX, row.status, 'open')
  const placedAt = timeOfStamp(row.order_timestamp)
  const quantity = UNITS.unitsOf(contract, row.quantity)
  const filledQuantity = UNITS.unitsOf(contract, row.filled_quantity)
  return {
    orderId: row.order_id,
    ...(row.tag !== '' && { tag: row.tag }),
    ...refOf(context, row),
    action: row.transaction_type,
    quantity,
    price: row.price,
    triggerPrice: row.trigger_price,
    priceType: mapped(context, 'order_type', PRICE_TYPE_BY_UPSTOX, row.order_type, 'LIMIT'),
    product: productOf(row.product, row.exchange),
    status,
    ...endingOf(status, { validity: row.validity, word: row.status }),
    filledQuantity,
    pendingQuantity: pendingOf(status, quantity, filledQuantity),
    ...disclosedOf(UNITS.unitsOf(contract, row.disclosed_quantity)),
    averagePrice: row.average_price,
    rejectionReason: row.status_message || row.status_message_raw,
    timestamp: timeOfStamp(row.exchange_timestamp) || placedAt,
    ...(placedAt > 0 && { placedAt }),
  }
}

/** Converts a row of the trade book. */
export function toTrade(context: BrokerContext, row: UpstoxTrade): BrokerTrade {
  return {
    tradeId: row.trade_id,
    orderId: row.order_id,
    ...refOf(context, row),
    action: row.transaction_type,
    quantity: UNITS.unitsOf(contractOf(context, row), row.quantity),
    price: row.average_price,
    product: productOf(row.product, row.exchange),
    timestamp: timeOfStamp(row.exchange_timestamp) || timeOfStamp(row.order_timestamp),
  }
}
