import type { PriceType } from '../../../orders/schema.js'
import type { BrokerContext, BrokerOrder, BrokerTrade } from '../../broker.js'
import { disclosedOf } from '../../kit/books/disclosed.js'
import { endingOf } from '../../kit/books/ending.js'
import { mapped } from '../../kit/books/mapping.js'
import { pendingOf } from '../../kit/books/pending.js'
import { timeOfStamp } from '../../kit/books/stamps.js'
import {
  KITES_TAGS,
  PRICE_TYPE_BY_KITE,
  PRICE_TYPE_OF_PROTECTED,
  PROTECTED_TAG,
  STATUS_BY_KITE,
} from '../mappings.js'
import { unitsOf } from '../master/lots.js'
import { contractOf, refOf } from '../symbols.js'
import type { KiteOrder, KiteTrade } from '../wire.js'

/** Converts a row of the order book, or an order update of the ticker socket. */
export function toOrder(context: BrokerContext, row: KiteOrder): BrokerOrder {
  const contract = contractOf(context, row)
  const status = mapped(context, 'status', STATUS_BY_KITE, row.status, 'open')
  const quantity = unitsOf(contract, row.quantity)
  const filledQuantity = unitsOf(contract, row.filled_quantity)
  return {
    orderId: row.order_id,
    ...tagOf(row),
    ...refOf(context, row),
    action: row.transaction_type,
    quantity,
    price: row.price,
    triggerPrice: row.trigger_price,
    priceType: priceTypeOf(context, row),
    product: row.product,
    status,
    ...endingOf(status, { validity: row.validity, word: row.status }),
    filledQuantity,
    pendingQuantity: pendingOf(status, quantity, filledQuantity),
    ...disclosedOf(unitsOf(contract, row.disclosed_quantity)),
    averagePrice: row.average_price,
    rejectionReason: row.status_message || row.status_message_raw,
    timestamp: timeOfStamp(row.exchange_update_timestamp) || timeOfStamp(row.order_timestamp),
  }
}

/** Converts a row of the trade book. `orderId` is the order that it belongs to here. */
export function toTrade(context: BrokerContext, row: KiteTrade, orderId: string): BrokerTrade {
  return {
    tradeId: row.trade_id,
    orderId,
    ...refOf(context, row),
    action: row.transaction_type,
    quantity: unitsOf(contractOf(context, row), row.quantity),
    price: row.average_price,
    product: row.product,
    timestamp: timeOfStamp(row.fill_timestamp) || timeOfStamp(row.exchange_timestamp),
  }
}

/**
 * Returns the type that was asked for. Market protection turns a MARKET order into a limit that may rest with a
 * remainder; it stays on its way to the market, and whoever closes a position must not close it twice.
 */
function priceTypeOf(context: BrokerContext, row: KiteOrder): PriceType {
  const shown = mapped(context, 'order_type', PRICE_TYPE_BY_KITE, row.order_type, 'LIMIT')
  const isProtected = row.market_protection !== 0 || row.tags.some((tag) => wordOf(tag) === PROTECTED_TAG)
  return isProtected ? (PRICE_TYPE_OF_PROTECTED[shown] ?? shown) : shown
}

/**
 * Returns our tag. Kite sends it as `tag` and as the first of `tags`. Words of Kite, and a tag added in its own terminal,
 * may follow in `tags`.
 */
function tagOf({ tag, tags }: KiteOrder): { tag?: string } {
  const own = tag || tags.find((each) => !KITES_TAGS.has(wordOf(each)))
  return own ? { tag: own } : {}
}

function wordOf(tag: string): string {
  return tag.split(':', 1)[0] ?? tag
}
