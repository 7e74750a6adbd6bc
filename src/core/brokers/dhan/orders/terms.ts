import type { Instrument } from '../../../instruments/schema.js'
import type { OrderRequest } from '../../../orders/schema.js'
import { limitBeyond } from '../../kit/books/protection.js'
import { notSent } from '../../kit/http/outcomes.js'
import { UNITS } from '../places.js'
import { ORDER_TYPE, PRODUCT } from '../words.js'

/** When orders after market hours go out: with the opening. */
const AMO_TIME = 'OPEN'

/**
 * Returns the fields that placing and changing share. Dhan refuses a stop without a limit, so SL-M is sent with the protection
 * beyond its trigger.
 * @param validity counts where the instructions name none: on a change, what the order has
 * @throws BrokerError, never sent
 */
export function termsOf(order: OrderRequest, instrument: Instrument, validity: string) {
  const { disclosedQuantity, instructions, price, priceType, quantity, triggerPrice } = order
  return {
    orderType: ORDER_TYPE[priceType],
    validity: instructions?.validity ?? validity,
    quantity: UNITS.brokerCount(instrument, quantity),
    disclosedQuantity: UNITS.brokerCount(instrument, disclosedQuantity, 'Disclosed quantity'),
    price: priceType === 'SL-M' ? protectedStop(order, instrument) : price,
    triggerPrice,
  }
}

function protectedStop({ action, triggerPrice }: OrderRequest, instrument: Instrument): number {
  const limit = limitBeyond(action, triggerPrice, instrument)
  if (limit !== undefined) return limit
  throw notSent(
    'validation',
    `Dhan takes no SL-M order with the trigger ${triggerPrice}: no limit lies beyond it.`,
  )
}

/**
 * Returns what names the instrument and the product of an order.
 * @throws BrokerError `unsupported`, never sent, for a product that has more than one leg
 */
export function subjectOf(
  { action, product }: Pick<OrderRequest, 'action' | 'product'>,
  instrument: Instrument,
) {
  const productType = PRODUCT[product]
  if (!productType) throw notSent('unsupported', `${product} orders cannot be placed at Dhan from here.`)
  return {
    transactionType: action,
    exchangeSegment: instrument.brokerExchange,
    productType,
    securityId: instrument.token,
  }
}

/** Returns the fields of an order after market hours. */
export function amoOf({ instructions }: OrderRequest) {
  const isAmo = instructions?.amo === true
  return { afterMarketOrder: isAmo, ...(isAmo && { amoTime: AMO_TIME }) }
}
