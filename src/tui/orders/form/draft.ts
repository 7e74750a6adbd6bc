import type { OrderRecord } from '../../../client/answers/records.js'
import type { Body } from '../../../client/index.js'
import { fromMoney, toMoney } from '../../../core/money/index.js'
import { ACTIONS, PRICE_TYPES, PRODUCTS } from '../../../core/orders/vocabulary.js'
import type { FormValues } from '../../components/form/Form.js'
import { STRATEGY } from '../../question/review.js'
import { hasPrice, productsOf } from './fields.js'
import { instructionsIn, NO_INSTRUCTIONS } from './instructions.js'
import { typedSymbol } from './instrument.js'

/** An order that the user writes: a new one, or the changes of one that waits. */
export interface Draft {
  /** The key of its request, made when the form is opened: a repeated confirmation sends one order. */
  key: string
  values: FormValues
  /** The order to modify; undefined for a new one. */
  order: OrderRecord | undefined
  /** Why the last attempt was not sent. */
  refusal?: string
}

export type OrderBody = Body<'placeorder'>
type Terms = Pick<OrderBody, 'pricetype' | 'price' | 'trigger_price'> & { quantity: number }

/** Returns the values of an empty form, or of one for a symbol such as `NSE:SBIN`. */
export function newValues(symbol = ''): FormValues {
  return {
    symbol,
    action: 'BUY',
    quantity: '',
    pricetype: 'MARKET',
    price: '',
    trigger_price: '',
    product: 'MIS',
    ...NO_INSTRUCTIONS,
    strategy: STRATEGY,
  }
}

/** Returns the values of an order that waits. */
export function changedValues(order: OrderRecord): FormValues {
  const { quantity, pricetype, price, trigger_price } = order
  return {
    quantity: String(quantity),
    pricetype,
    price: priceText(price),
    trigger_price: priceText(trigger_price),
  }
}

/**
 * Returns the values of a waiting order that moves to another price. A stop waits at its trigger, and keeps the distance to its
 * limit; once it has triggered, it waits at its limit.
 */
export function movedValues(order: OrderRecord, price: number): FormValues {
  const values = changedValues(order)
  if (!isAtTrigger(order)) return { ...values, price: String(price) }
  const limit = toMoney(order.price) + toMoney(price) - toMoney(order.trigger_price)
  const moved = { ...values, trigger_price: String(price) }
  return order.price > 0 ? { ...moved, price: String(fromMoney(limit)) } : moved
}

/** Returns the price at which a waiting order stands; 0 for one at the market. */
export const standingPrice = (order: OrderRecord): number =>
  isAtTrigger(order) ? order.trigger_price : order.price

const isAtTrigger = ({ order_status, trigger_price }: OrderRecord) =>
  order_status === 'trigger pending' && trigger_price > 0

const priceText = (price: number): string => (price === 0 ? '' : String(price))

/** Returns the request of a form whose values are good; undefined if they are not. */
export function placeBody(values: FormValues): OrderBody | undefined {
  const typed = typedSymbol(values.symbol ?? '')
  const action = ACTIONS.find((one) => one === values.action)
  const product = PRODUCTS.find((one) => one === values.product)
  const terms = orderTerms(values)
  if (typed === undefined || action === undefined || product === undefined || terms === undefined)
    return undefined
  if (!productsOf(typed.exchange).some((one) => one === product)) return undefined
  return {
    ...typed,
    action,
    product,
    strategy: values.strategy?.trim() ?? '',
    ...terms,
    ...instructionsIn(values),
  }
}

/** Returns what both a new order and a changed one have; prices that the price type has not are 0. */
export function orderTerms(values: FormValues): Required<Terms> | undefined {
  const pricetype = PRICE_TYPES.find((one) => one === values.pricetype)
  if (pricetype === undefined) return undefined
  const price = (name: 'price' | 'trigger_price') => (hasPrice(name, pricetype) ? Number(values[name]) : 0)
  return {
    pricetype,
    price: price('price'),
    trigger_price: price('trigger_price'),
    quantity: Number(values.quantity),
  }
}
