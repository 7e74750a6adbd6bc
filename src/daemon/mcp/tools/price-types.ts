import { validationError } from '../../../core/errors/index.js'
import { contradiction, impliedType, priceTypeNamed } from '../../../core/orders/index.js'
import { isObject } from '../../../core/validation/index.js'

type Payload = Record<string, unknown>

const NAMES = { type: 'price_type', price: 'price', trigger: 'trigger_price' }

/**
 * Returns a payload of orders, each with the price type that its prices imply: the API would take it for MARKET
 * and ignore them. @throws ServiceError `validation` for a price that its price type does not have
 */
export function withPriceTypes(payload: Payload, at = ''): Payload {
  const lists = Object.entries(payload).map(([name, value]) => [
    name,
    Array.isArray(value)
      ? value.map((item: unknown, place) =>
          isObject(item) ? withPriceTypes(item, `${at}${name}.${place}.`) : item,
        )
      : value,
  ])
  return { ...Object.fromEntries(lists), ...priceTypeOf(payload, at) }
}

function priceTypeOf({ price, pricetype, trigger_price }: Payload, at: string): Payload {
  const prices = { price, trigger: trigger_price }
  if (pricetype === undefined || pricetype === null) {
    const implied = impliedType(prices)
    return implied === 'MARKET' ? {} : { pricetype: implied }
  }
  const type = priceTypeNamed(pricetype)
  const clash = type && contradiction(type, prices, NAMES)
  if (!clash) return {}
  const field = clash.price === 'price' ? 'price' : 'trigger_price'
  throw validationError({ [`${at}${field}`]: [`${clash.message} ${clash.remedy}`] })
}
