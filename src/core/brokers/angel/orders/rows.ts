import { DAY_MS, istDate, istInstant, MINUTE_MS } from '../../../time/index.js'
import type { BrokerContext, BrokerOrder, BrokerTrade } from '../../broker.js'
import { disclosedOf } from '../../kit/books/disclosed.js'
import { endingOf } from '../../kit/books/ending.js'
import { mapped } from '../../kit/books/mapping.js'
import { pendingOf } from '../../kit/books/pending.js'
import { placeOf, UNITS } from '../units.js'
import { angelTime, type OrderRow, type TradeRow } from '../wire.js'
import { PRICE_TYPE_OF_ANGEL, PRODUCT_OF_ANGEL, STATUS_OF_ANGEL } from '../words.js'

/** Returns a product of ours, or Angel's own word. */
export function productOf(word: string): string {
  return Object.hasOwn(PRODUCT_OF_ANGEL, word) ? Reflect.get(PRODUCT_OF_ANGEL, word) : word
}

/** Converts a row of the order book, or an order that was pushed. */
export function toOrder(context: BrokerContext, row: OrderRow): BrokerOrder {
  const { contract, ref } = placeOf(context, row)
  const word = (row.orderstatus || row.status).toLowerCase()
  const status = mapped(context, 'status', STATUS_OF_ANGEL, word, 'open')
  const quantity = UNITS.unitsOf(contract, row.quantity)
  const filledQuantity = UNITS.unitsOf(contract, row.filledshares)
  return {
    orderId: row.orderid,
    ...(row.ordertag && { tag: row.ordertag }),
    ...ref,
    action: row.transactiontype,
    quantity,
    price: row.price,
    triggerPrice: row.triggerprice,
    priceType: mapped(context, 'ordertype', PRICE_TYPE_OF_ANGEL, row.ordertype, 'LIMIT'),
    product: productOf(row.producttype),
    status,
    ...endingOf(status, { validity: row.duration, word }),
    filledQuantity,
    pendingQuantity: pendingOf(status, quantity, filledQuantity),
    ...disclosedOf(UNITS.unitsOf(contract, row.disclosedquantity)),
    averagePrice: row.averageprice,
    rejectionReason: row.text,
    timestamp: angelTime(row.updatetime) || angelTime(row.exchorderupdatetime) || angelTime(row.exchtime),
  }
}

/** Converts a row of the trade book. */
export function toTrade(context: BrokerContext, row: TradeRow): BrokerTrade {
  const { contract, ref } = placeOf(context, row)
  return {
    tradeId: row.fillid,
    orderId: row.orderid,
    ...ref,
    action: row.transactiontype,
    quantity: UNITS.unitsOf(contract, row.fillsize),
    price: row.fillprice,
    product: productOf(row.producttype),
    timestamp: timeOfFill(row.filltime, context.clock.now()),
  }
}

const TIME_OF_DAY = /^\d{2}:\d{2}:\d{2}$/

/** Angel sends the time of day of a trade alone. After midnight its book is still that of the day before. */
function timeOfFill(written: string, now: number): number {
  if (!TIME_OF_DAY.test(written)) return angelTime(written)
  const today = istInstant(istDate(now), written)
  // The clocks of the exchange and of this machine may differ a little.
  return today > now + MINUTE_MS ? today - DAY_MS : today
}
