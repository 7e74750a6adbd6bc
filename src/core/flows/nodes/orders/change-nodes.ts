import { EXCHANGES } from '../../../instruments/index.js'
import { ACTIONS, disclosedText, keptDisclosed, PRICE_TYPES, PRODUCTS } from '../../../orders/index.js'
import { isObject } from '../../../validation/index.js'
import { isBlank } from '../../graph/graph.js'
import { interpolatedText } from '../../language/interpolation.js'
import { parseNumber } from '../../language/numbers.js'
import type { Body } from '../../ports.js'
import { defineNode, NodeError, type NodeRun } from '../definition.js'
import { SYMBOL } from '../form.js'
import { list, number, object, text, texts } from '../output.js'
import { checkPrices, pricesOf, productField, requiredText, strategyTagField, unitsOf } from './fields.js'
import { CLOSURES, ORDER_REF, sendOrder } from './results.js'

const orderIdField = {
  kind: 'text',
  description: 'Id of the order, from the result of the node that placed it.',
  required: true,
  guarded: true,
} as const

/** Returns the id of an order. @throws NodeError with the given text if there is none */
function orderIdOf(run: NodeRun, missing: string): string {
  const id = run.text('orderId').trim()
  if (id === '') throw new NodeError(missing)
  return id
}

const override = (description: string) => ({ kind: 'text', description, guarded: true }) as const
const numeric = (description: string, alias: string) =>
  ({ kind: 'number', description, aliases: [alias], min: 0, guarded: true }) as const

const modifyOrder = defineNode({
  type: 'modifyOrder',
  family: 'order',
  effect: 'order',
  summary: 'Modifies an open order. Fields that are left out keep their value.',
  fields: {
    orderId: orderIdField,
    newQuantity: numeric('New total quantity, including the filled part.', 'quantity'),
    newPrice: numeric('New limit price.', 'price'),
    newTriggerPrice: numeric('New trigger price.', 'triggerPrice'),
    symbol: { ...override('Symbol of the order.'), form: SYMBOL },
    exchange: { ...override('Exchange of the order.'), choices: EXCHANGES },
    action: { ...override('Side of the order.'), choices: ACTIONS },
    product: { ...override('Product of the order.'), choices: PRODUCTS },
    priceType: { ...override('New price type.'), choices: PRICE_TYPES, aliases: ['pricetype'] },
    strategyTag: strategyTagField,
  },
  output: { status: text('`success` or `error`.'), orderid: text('Id of the order.') },
  storesOutput: true,
  run: async (run) => {
    const orderid = orderIdOf(run, 'orderId is required to modify an order')
    const strategy = run.strategy()
    const live = await liveOrder(run, strategy, orderid)
    const order = modifiedOrder(run, live, orderid)
    return sendOrder(run, `Modifying order: ${orderid}`, 'modifyorder', { strategy, orderid, ...order })
  },
})

/** Reads the current order. @throws NodeError */
async function liveOrder(run: NodeRun, strategy: string, orderid: string): Promise<Body> {
  const answer = await run.read('orderstatus', { strategy, orderid })
  const { data } = answer
  if (answer.status === 'success' && isObject(data)) return data
  const reason = answer.message ?? 'the answer contains no order'
  throw new NodeError(`Could not read order ${orderid} to modify it: ${reason}`)
}

/** Text members of an order, by the field that overrides them. */
const TEXTS = { symbol: 'symbol', exchange: 'exchange', action: 'action', product: 'product' } as const

/**
 * Returns the complete modified order: overrides first, then the values of the current order. A price that
 * the price type does not use is 0 and need not be known.
 */
function modifiedOrder(run: NodeRun, live: Body, orderid: string): Body {
  const missing: string[] = []
  const member = (field: string, ...names: string[]): unknown => {
    if (!run.blank(field)) return requiredText(run, field)
    const known = names.map((name) => live[name]).find((value) => !isBlank(value))
    if (known === undefined) missing.push(names[0] ?? field)
    return known
  }
  const texts = Object.entries(TEXTS).map(([field, name]) => [name, member(field, name)])
  const pricetype = member('priceType', 'pricetype', 'price_type')
  const { limit, trigger } = pricetype === undefined ? NO_PRICES : pricesOf(interpolatedText(pricetype))
  const priced = (field: string, name: string, has: boolean) => {
    if (has) return member(field, name)
    if (!run.blank(field) && run.blank('priceType')) {
      throw new NodeError(
        `${field} has no effect: order ${orderid} is ${interpolatedText(pricetype)}. Set priceType, too`,
      )
    }
    return 0
  }
  const quantity = member('newQuantity', 'quantity')
  const price = priced('newPrice', 'price', limit)
  const trigger_price = priced('newTriggerPrice', 'trigger_price', trigger)
  if (missing.length > 0) {
    throw new NodeError(
      `Order ${orderid} did not report ${missing.join(', ')}; refusing to modify it with a guessed value`,
    )
  }
  const order = { ...Object.fromEntries(texts), pricetype }
  const numbers = {
    quantity: unitsOf(changeNumber(quantity), interpolatedText(order.exchange)),
    price: changeNumber(price),
    trigger_price: changeNumber(trigger_price),
  }
  if (!(numbers.quantity > 0)) {
    throw new NodeError(`Modify order needs a positive quantity, got ${numbers.quantity}`)
  }
  checkPrices({ pricetype: interpolatedText(pricetype), ...numbers })
  const exchange = interpolatedText(order.exchange)
  return {
    ...order,
    disclosed_quantity: disclosedOf(run, { ...live, exchange }, numbers.quantity),
    ...numbers,
  }
}

/** Returns how much of the changed order the market sees. Logs it where that is more than of the order as it was. */
function disclosedOf(run: NodeRun, live: Body & { exchange: string }, quantity: number): number {
  const disclosed = parseNumber(live.disclosed_quantity)
  const own = { exchange: live.exchange, quantity: parseNumber(live.quantity) ?? quantity, disclosed }
  const kept = keptDisclosed(own, quantity)
  if (kept > (disclosed ?? 0)) run.log(`The order grows: ${disclosedText(kept, quantity)}`, 'warn')
  return kept
}

const NO_PRICES = { limit: false, trigger: false }

function changeNumber(value: unknown): number {
  const number = parseNumber(value)
  if (number !== undefined) return number
  throw new NodeError(`Modify order got a non-numeric price or quantity: '${interpolatedText(value)}'`)
}

const cancelOrder = defineNode({
  type: 'cancelOrder',
  family: 'order',
  effect: 'reduce',
  summary: 'Cancels an open order.',
  fields: { orderId: orderIdField, strategyTag: strategyTagField },
  output: { status: text('`success` or `error`.'), orderid: text('Id of the order.') },
  storesOutput: true,
  run: (run) => {
    const orderid = orderIdOf(run, 'orderId is required to cancel an order')
    return sendOrder(run, `Cancelling order: ${orderid}`, 'cancelorder', {
      strategy: run.strategy(),
      orderid,
    })
  },
})

const cancelAllOrders = defineNode({
  type: 'cancelAllOrders',
  family: 'order',
  effect: 'reduce',
  summary: 'Cancels all open orders of the account.',
  fields: { strategyTag: strategyTagField },
  output: {
    status: text('`success` or `error`.'),
    message: text('Summary of the result.'),
    canceled_orders: list(text(), 'Ids of the cancelled orders.'),
    failed_cancellations: list(object(texts('orderid', 'message')), 'Orders that could not be cancelled.'),
    ...ORDER_REF,
  },
  storesOutput: true,
  run: (run) => sendOrder(run, 'Cancelling all orders', 'cancelallorder', { strategy: run.strategy() }),
})

const closePosition = defineNode({
  type: 'closePosition',
  family: 'order',
  effect: 'reduce',
  summary: 'Closes the position in a symbol, or all positions if there is no symbol, with market orders.',
  fields: {
    symbol: {
      kind: 'text',
      description: 'Symbol to close. Default: all positions.',
      form: SYMBOL,
      default: '',
      guarded: true,
    },
    exchange: {
      kind: 'text',
      description: 'Exchange of the symbol. Ignored without a symbol.',
      default: 'NSE',
      choices: EXCHANGES,
      guarded: true,
    },
    product: { ...productField, description: 'Product of the position. Ignored without a symbol.' },
    strategyTag: strategyTagField,
  },
  output: {
    status: text('`success` or `error`.'),
    message: text('Summary of the result.'),
    closed_positions: number('Number of closed positions.'),
    failed_closures: number('Number of positions that could not be closed. The node fails if there is one.'),
    ...CLOSURES,
    ...ORDER_REF,
  },
  storesOutput: true,
  run: (run) => {
    const strategy = run.strategy()
    if (run.blank('symbol')) {
      return sendOrder(run, 'Closing all positions', 'closeposition', { strategy })
    }
    // A reference to an empty text must close nothing rather than everything.
    const symbol = requiredText(run, 'symbol')
    const [exchange, product] = [run.text('exchange'), run.text('product')]
    const announcement = `Closing position: ${symbol}@${exchange} (${product})`
    return sendOrder(run, announcement, 'closeposition', { strategy, symbol, exchange, product })
  },
})

export const CHANGE_ORDER_NODES = [modifyOrder, cancelOrder, cancelAllOrders, closePosition]
