import { isObject } from '../../../client/answers/json.js'
import {
  contradiction,
  hasPrice,
  impliedType,
  missingPrices,
  type PriceName,
  priceTypeNamed,
  type TermNames,
} from '../../../core/orders/terms/price-type.js'
import type { Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { bodyOf, type FieldSpec, fileOf, type OrderDraft } from './request.js'

const FLAGS: TermNames = { type: '--type', price: '--price', trigger: '--trigger' }
const FIELDS: TermNames = { type: 'pricetype', price: 'price', trigger: 'trigger_price' }
const PRICE_NAMES = ['price', 'trigger'] as const

/** Returns the body of an order from words, options and a file, with the price type that its prices imply. */
export async function orderOf(
  fields: readonly FieldSpec[],
  input: Input,
  context: Context,
  example: string,
): Promise<OrderDraft> {
  const order = await bodyOf(fields, input, context.io, example)
  const isFile = fileOf(input) !== undefined
  const termName = (term: keyof TermNames) =>
    isFile && input.text(term) === undefined ? FIELDS[term] : FLAGS[term]
  const names = { type: termName('type'), price: termName('price'), trigger: termName('trigger') }
  return withPriceType(context, order, names)
}

const pricesIn = (order: OrderDraft): Record<PriceName, unknown> => ({
  price: order.price,
  trigger: order.trigger_price,
})

/**
 * Returns an order with the price type that its prices imply, and says so on stderr. Refuses prices that contradict
 * the price type, and a price type without its prices. `item` names an order of a list.
 */
function withPriceType(context: Context, order: OrderDraft, names: TermNames, item?: string): OrderDraft {
  const prices = pricesIn(order)
  const hasType = order.pricetype !== undefined && order.pricetype !== null && order.pricetype !== ''
  const type = hasType ? priceTypeNamed(order.pricetype) : impliedType(prices)
  // The daemon refuses an unknown price type, and names those that it knows.
  if (type === undefined) return order
  const clash = contradiction(type, prices, names)
  if (clash) throw usageError(`${item === undefined ? '' : `${item}: `}${clash.message}`, clash.remedy)
  requirePrices({ ...order, pricetype: type }, item)
  if (hasType || type === 'MARKET') return order
  const given = PRICE_NAMES.filter((name) => hasPrice(type, name)).map(
    (name) => `${names[name]} ${String(prices[name])}`,
  )
  context.out.note(`${item ?? 'The order'} is ${type}: ${given.join(' and ')} without ${names.type}.`)
  return { ...order, pricetype: type }
}

/** Returns the orders of a list, each with the price type that its prices imply. */
export function withPriceTypes(context: Context, orders: unknown, noun: string): unknown {
  if (!Array.isArray(orders)) return orders
  return orders.map((order: unknown, index) =>
    isObject(order) ? withPriceType(context, order, FIELDS, `${noun} ${index + 1}`) : order,
  )
}

/**
 * Refuses an order without a price that its type needs. The broker and the sandbox would refuse it as well,
 * but in semi_auto mode only after its approval.
 */
function requirePrices(order: OrderDraft, item?: string): void {
  const type = priceTypeNamed(order.pricetype) ?? 'MARKET'
  const [missing] = missingPrices(type, pricesIn(order))
  if (missing === undefined) return
  const named = `${type.startsWith('S') ? 'An' : 'A'} ${type} order needs a ${FIELDS[missing]}.`
  if (item !== undefined) throw usageError(`${item}: ${named}`)
  throw usageError(named, `Pass ${FLAGS[missing]}.`)
}

/**
 * Returns an order with its changes. It keeps its own price type when the changes name none, and loses the prices that
 * its type does not have. A price among the changes that the type does not have is refused.
 */
export function changedOrder(order: OrderDraft, changes: OrderDraft): OrderDraft {
  const type = priceTypeNamed(changes.pricetype ?? order.pricetype)
  const changed = { ...order, ...changes }
  if (type === undefined) return changed
  const names = changes.pricetype === undefined ? { ...FLAGS, type: "the order's type" } : FLAGS
  const clash = contradiction(type, pricesIn(changes), names)
  if (clash) {
    throw usageError(
      clash.message,
      `Use ${FLAGS.type} ${impliedType(pricesIn({ ...order, ...changes }))}, or leave ${FLAGS[clash.price]} out.`,
    )
  }
  requirePrices({ ...changed, pricetype: type })
  return {
    ...changed,
    price: hasPrice(type, 'price') ? changed.price : 0,
    trigger_price: hasPrice(type, 'trigger') ? changed.trigger_price : 0,
  }
}
