import { isObject } from '../../../client/answers/json.js'
import {
  contradiction,
  emptyPrices,
  emptyText,
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
import { type FieldSpec, type OrderDraft, unitsProblem } from './fields.js'
import { bodyOf, fileOf } from './request.js'

const FLAGS: TermNames = { type: '--type', price: '--price', trigger: '--trigger' }
const FIELDS: TermNames = { type: 'pricetype', price: 'price', trigger: 'trigger_price' }
const PRICE_NAMES = ['price', 'trigger'] as const

/**
 * Returns the body of an order from words, options and a file, with the price type that its prices imply.
 * @throws CliError of usage for prices or sizes that no order can have
 */
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
  requireSizes(order)
  return withPriceType(context, order, names)
}

const pricesIn = (order: OrderDraft): Record<PriceName, unknown> => ({
  price: order.price,
  trigger: order.trigger_price,
})

/**
 * Returns an order with the price type that its prices imply, and says so on stderr. Refuses prices that contradict
 * the price type, a price type without its prices, and a price of 0 that would decide the price type. `item` names an order
 * of a list.
 */
function withPriceType(context: Context, order: OrderDraft, names: TermNames, item?: string): OrderDraft {
  const prices = pricesIn(order)
  const hasType = order.pricetype !== undefined && order.pricetype !== null && order.pricetype !== ''
  if (!hasType) refuseEmptyPrices(prices, names, item)
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

/** Refuses a price of 0: without it the order would be another one, such as MARKET for LIMIT. */
function refuseEmptyPrices(prices: Record<PriceName, unknown>, names: TermNames, item?: string): void {
  const [empty] = emptyPrices(prices)
  if (empty === undefined) return
  throw usageError(
    `${item === undefined ? '' : `${item}: `}${emptyText(empty, prices[empty], names)}`,
    `Leave ${names[empty]} out, or name the price type: ${names.type} MARKET.`,
  )
}

/**
 * Returns the orders of a list, each with the price type that its prices imply.
 * @throws CliError of usage for prices or sizes that no order can have, with the number of the order
 */
export function withPriceTypes(context: Context, orders: unknown, noun: string): unknown {
  if (!Array.isArray(orders)) return orders
  return orders.map((order: unknown, index) => {
    if (!isObject(order)) return order
    const item = `${noun} ${index + 1}`
    requireSizes(order, item)
    return withPriceType(context, order, FIELDS, item)
  })
}

/**
 * Refuses an order without a price that its type needs. The broker and the sandbox would refuse it as well,
 * but in semi_auto mode only after its approval.
 */
function requirePrices(order: OrderDraft, item?: string): void {
  const type = priceTypeNamed(order.pricetype) ?? 'MARKET'
  const [missing] = missingPrices(type, pricesIn(order))
  if (missing === undefined) return
  // An item of a file has the field of that name; a person types an option, which the hint names.
  const price = item === undefined ? FIELDS[missing].replace('_', ' ') : FIELDS[missing]
  const named = `${type.startsWith('S') ? 'An' : 'A'} ${type} order needs a ${price}.`
  if (item !== undefined) throw usageError(`${item}: ${named}`)
  throw usageError(named, `Pass ${FLAGS[missing]}.`)
}

/**
 * Returns an order with its changes. It keeps its own price type when the changes name none, and loses the prices that
 * its type does not have. A price among the changes that the type does not have is refused, and so is one of 0.
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
  if (changes.pricetype === undefined) refuseEmptyChanges(pricesIn(changes))
  requirePrices({ ...changed, pricetype: type })
  requireSizes(changed)
  return {
    ...changed,
    price: hasPrice(type, 'price') ? changed.price : 0,
    trigger_price: hasPrice(type, 'trigger') ? changed.trigger_price : 0,
  }
}

/** Refuses `--trigger 0`: it would be no change, or take a price away. */
function refuseEmptyChanges(prices: Record<PriceName, unknown>): void {
  const [empty] = emptyPrices(prices)
  if (empty !== undefined) {
    throw usageError(
      emptyText(empty, prices[empty], FLAGS),
      `Leave ${FLAGS[empty]} out to keep the order's own.`,
    )
  }
}

const SIZES = ['quantity', 'disclosed_quantity', 'splitsize', 'position_size'] as const

/**
 * Refuses a size that a file has as a text with more than digits, and a disclosed quantity above that of the order, which no
 * exchange takes. `item` names an order of a list.
 */
export function requireSizes(order: OrderDraft, item?: string): void {
  const refuse = (text: string) => {
    throw usageError(`${item === undefined ? '' : `${item}: `}${text}`)
  }
  for (const name of SIZES) {
    const { [name]: size } = order
    const problem = typeof size === 'string' ? unitsProblem(size) : undefined
    if (problem !== undefined) refuse(`${name}: ${problem}`)
  }
  const [quantity, disclosed] = [Number(order.quantity), Number(order.disclosed_quantity ?? 0)]
  // A smart order of 0 gets its size from the position.
  if (quantity > 0 && disclosed > quantity) {
    refuse(`disclosed_quantity: ${disclosed} is more than the quantity of the order, ${quantity}.`)
  }
}
