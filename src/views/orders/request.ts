import { isObject } from '../../client/answers/json.js'
import { symbolKey } from '../text/symbol.js'
import { orderText, termsText } from './order.js'

/** Returns an order request in the words of a question; undefined for one that these words do not fit. */
export function requestText(request: unknown): string | undefined {
  if (!isObject(request)) return undefined
  const { legs, orders } = request
  if (Array.isArray(orders)) return orders.length === 1 ? requestText(orders[0]) : `${orders.length} orders`
  if (Array.isArray(legs)) return `${legs.length} legs of ${text(request.underlying)}`
  const order = tradeText(request)
  if (order === undefined) return undefined
  return [order, pricesText(request), text(request.product)].filter(Boolean).join(' ')
}

type Request = Readonly<Record<string, unknown>>

function tradeText(request: Request): string | undefined {
  const { action, exchange, option_type, offset, position_size, quantity, splitsize, symbol, underlying } =
    request
  if (typeof action !== 'string' || !isAmount(quantity)) return undefined
  if (typeof symbol !== 'string' || typeof exchange !== 'string') {
    return `${action.toUpperCase()} ${quantity} ${[underlying, offset, option_type].map(text).join(' ').trim()}`
  }
  if (isAmount(position_size)) return `${symbolKey({ exchange, symbol })} to a position of ${position_size}`
  const order = orderText({ action, quantity, exchange, symbol })
  return amount(splitsize) > 0 ? `${order} in parts of ${amount(splitsize)}` : order
}

const isAmount = (value: unknown): value is string | number => ['string', 'number'].includes(typeof value)
const text = (value: unknown): string => (isAmount(value) ? String(value) : '')
const amount = (value: unknown): number => (isAmount(value) ? Number(value) || 0 : 0)

function pricesText({ price, pricetype, trigger_price }: Request): string {
  return text(pricetype) === ''
    ? ''
    : termsText({ pricetype: text(pricetype), price: amount(price), trigger_price: amount(trigger_price) })
}
