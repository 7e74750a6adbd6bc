import { EXCHANGES } from '../../../instruments/index.js'
import { ACTIONS, MAX_BASKET, PRICE_TYPES, PRODUCTS } from '../../../orders/index.js'
import { isObject } from '../../../validation/index.js'
import { jsonIn } from '../../language/json.js'
import type { Body } from '../../ports.js'
import { NodeError, type NodeRun } from '../definition.js'
import type { Fields } from '../field.js'
import { SYMBOL } from '../form.js'
import { itemsIn } from '../items.js'
import { checkPrices, isLoneReference, ListItem, positive, readItem } from './fields.js'
import { ITEM_INSTRUCTIONS, itemInstructions } from './instructions.js'

/** The members of an order in a basket. */
export const LINE_FIELDS: Fields = {
  symbol: { kind: 'text', description: '', form: SYMBOL },
  exchange: { kind: 'text', description: '', choices: EXCHANGES },
  action: { kind: 'text', description: '', choices: ACTIONS },
  quantity: { kind: 'number', description: '' },
  pricetype: { kind: 'text', description: '', choices: PRICE_TYPES, aliases: ['priceType'] },
  product: { kind: 'text', description: '', choices: PRODUCTS },
  price: { kind: 'number', description: '', default: 0, min: 0 },
  trigger_price: { kind: 'number', description: '', default: 0, min: 0, aliases: ['triggerPrice'] },
  disclosed_quantity: { kind: 'number', description: '', default: 0 },
  ...ITEM_INSTRUCTIONS,
}
const CSV_MEMBERS = ['symbol', 'exchange', 'action', 'quantity'] as const

/** The values of the node for orders without their own. */
interface BasketDefaults {
  pricetype: string | undefined
  product: string
}

/**
 * Returns the orders of a basket from CSV lines or a list. One invalid order fails the whole basket, because
 * half a basket without notice is worse than none.
 *
 * @throws NodeError that names the line or order
 */
export function basketOrders(run: NodeRun, defaults: BasketDefaults): Body[] {
  const saved = run.raw('orders') ?? []
  const found = typeof saved === 'string' ? inText(run, saved) : run.resolve(saved)
  if (!Array.isArray(found)) throw new NodeError('orders is neither CSV text nor a list')
  if (found.length > MAX_BASKET) throw tooMany(found.length)
  const written = writtenOrders(saved)
  return found.map((item: unknown, index) =>
    readItem(`Order ${index + 1}`, () => orderOf(item, written[index], defaults)),
  )
}

/**
 * Reads orders from a text. A single reference may stand for CSV or a list; other references are resolved
 * within their part.
 */
function inText(run: NodeRun, text: string): unknown {
  if (isLoneReference(text)) {
    const value = run.resolve(text)
    if (typeof value !== 'string') return value
    return value.trim().startsWith('[') ? jsonIn(value) : csvItems(run, value, (part) => part)
  }
  if (text.trim().startsWith('[')) return run.resolve(jsonIn(text))
  return csvItems(run, text, (part) => run.interpolate(part))
}

/** Returns the orders of a stored basket, each in its place; a reference stands for orders that are not written out. */
export function writtenOrders(saved: unknown): readonly unknown[] {
  if (typeof saved !== 'string' || saved.trim().startsWith('[')) return itemsIn(saved)
  return saved
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      if (isLoneReference(line)) return undefined
      const parts = line.split(',').map((part) => part.trim())
      return Object.fromEntries(CSV_MEMBERS.map((name, place) => [name, parts[place] ?? '']))
    })
}

/** Reads one `SYMBOL,EXCHANGE,ACTION,QTY` per line. References are resolved after a line is split. */
function csvItems(run: NodeRun, csv: string, fill: (part: string) => string): Body[] {
  const lines = csv
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length > MAX_BASKET) throw tooMany(lines.length)
  return lines.map((line) => {
    const parts = line.split(',').map((part) => fill(part.trim()).trim())
    const missing = CSV_MEMBERS.filter((_, place) => (parts[place] ?? '') === '')
    if (missing.length > 0) {
      throw new NodeError(
        `Invalid order line '${line}': no ${missing.join(', ')}; no order of the basket was sent`,
      )
    }
    if (parts.slice(CSV_MEMBERS.length).some((part) => part !== '')) {
      run.log(`Order line '${line}': values after the quantity are ignored`, 'warn')
    }
    return Object.fromEntries(CSV_MEMBERS.map((name, place) => [name, parts[place]]))
  })
}

function tooMany(count: number): NodeError {
  return new NodeError(`orders has ${count} orders, more than ${MAX_BASKET}`)
}

function orderOf(line: unknown, written: unknown, defaults: BasketDefaults): Body {
  if (!isObject(line)) throw new NodeError('is not an object')
  const item = new ListItem(line, LINE_FIELDS, { written })
  const symbol = item.text('symbol')
  if (symbol === '') throw new NodeError('symbol is empty')
  const exchange = item.text('exchange')
  const quantity = positive(item.number('quantity'), 'quantity')
  if (exchange !== 'CRYPTO' && !Number.isInteger(quantity)) {
    throw new NodeError(`quantity ${quantity} is not a whole number`)
  }
  const prices = {
    pricetype: item.priceType('pricetype', 'trigger_price', defaults.pricetype),
    price: item.number('price'),
    trigger_price: item.number('trigger_price'),
  }
  checkPrices(prices)
  const disclosed_quantity = item.number('disclosed_quantity')
  return {
    symbol,
    exchange,
    action: item.text('action'),
    quantity,
    product: item.text('product', defaults.product),
    ...prices,
    ...(disclosed_quantity > 0 && { disclosed_quantity }),
    ...itemInstructions(item),
  }
}
