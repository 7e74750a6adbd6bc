import type { Instrument } from '../../../instruments/schema.js'
import { hasPrice, type OrderRequest } from '../../../orders/schema.js'
import { notSent } from '../../kit/http/outcomes.js'
import { UNITS } from '../units.js'
import { ORDER_TYPE, PRODUCT } from '../words.js'

/** After-market orders: they wait for the next opening. */
export const AMO = 'AMO'

/**
 * Returns the variety of a new order.
 * @throws BrokerError `unsupported`, never sent, for a stop order after the market
 */
export function varietyOf({ instructions, priceType }: OrderRequest): string {
  const { variety } = ORDER_TYPE[priceType]
  if (instructions?.amo !== true) return variety
  if (variety === 'NORMAL') return AMO
  throw notSent('unsupported', `Angel One takes no ${priceType} orders after the market.`)
}

/**
 * Returns Angel's word for a product.
 * @throws BrokerError `unsupported`, never sent
 */
export function productWord({ product }: Pick<OrderRequest, 'product'>): string {
  const word = PRODUCT[product]
  if (word === undefined)
    throw notSent('unsupported', `${product} orders cannot be placed at Angel One from here.`)
  return word
}

/**
 * Returns what a new order and a change have in common. Angel takes every value as text.
 * @throws BrokerError, never sent
 */
export function termsOf(order: OrderRequest, instrument: Instrument) {
  const { priceType } = order
  return {
    tradingsymbol: instrument.brokerSymbol,
    symboltoken: instrument.token,
    exchange: instrument.brokerExchange,
    ordertype: ORDER_TYPE[priceType].word,
    producttype: productWord(order),
    quantity: String(UNITS.brokerCount(instrument, order.quantity)),
    price: hasPrice(priceType, 'price') ? String(order.price) : '0',
    triggerprice: hasPrice(priceType, 'trigger') ? String(order.triggerPrice) : '0',
    disclosedquantity: String(UNITS.brokerCount(instrument, order.disclosedQuantity, 'Disclosed quantity')),
  }
}
