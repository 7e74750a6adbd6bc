import { EXCHANGES } from '../../../instruments/index.js'
import { ACTIONS, PRICE_TYPES, PRODUCTS } from '../../../orders/index.js'
import { isBlank } from '../../graph/graph.js'
import { parseNumber } from '../../language/numbers.js'
import { NodeError, type NodeRun } from '../definition.js'
import type { Field, Fields } from '../field.js'
import { SYMBOL } from '../form.js'

/** Products for option contracts, which cannot be delivered. */
export const OPTION_PRODUCTS = ['MIS', 'NRML'] as const

/** The instrument and side of an order. An unresolved reference in these fields prevents the order. */
const instrumentFields = {
  symbol: { kind: 'text', description: 'Symbol to trade.', form: SYMBOL, required: true, guarded: true },
  exchange: {
    kind: 'text',
    description: 'Exchange of the symbol.',
    default: 'NSE',
    required: true,
    choices: EXCHANGES,
    guarded: true,
  },
  action: {
    kind: 'text',
    description: 'Side of the order.',
    default: 'BUY',
    required: true,
    choices: ACTIONS,
    guarded: true,
  },
} as const satisfies Fields

const quantityField = {
  kind: 'number',
  description: 'Number of shares or contracts. Truncated to a whole number, except on CRYPTO.',
  default: 1,
  required: true,
  guarded: true,
} as const satisfies Field

export const priceTypeField = {
  kind: 'text',
  description: 'Price type. LIMIT and SL need a price, SL and SL-M a trigger price.',
  default: 'MARKET',
  choices: PRICE_TYPES,
  aliases: ['pricetype'],
  guarded: true,
} as const satisfies Field

export const productField = {
  kind: 'text',
  description: 'Product: MIS is intraday, CNC delivery, NRML overnight derivatives.',
  default: 'MIS',
  choices: PRODUCTS,
  guarded: true,
} as const satisfies Field

export const priceFields = {
  price: { kind: 'number', description: 'Limit price.', default: 0, min: 0, guarded: true },
  triggerPrice: {
    kind: 'number',
    description: 'Trigger price of a stop order.',
    default: 0,
    min: 0,
    guarded: true,
  },
} as const satisfies Fields

export const strategyTagField = {
  kind: 'text',
  description: 'Strategy tag of the order. Default: the name of the workflow.',
} as const satisfies Field

/** The fields of orders in one symbol. */
export const tradeFields = {
  ...instrumentFields,
  quantity: quantityField,
  priceType: priceTypeField,
  product: productField,
  ...priceFields,
  strategyTag: strategyTagField,
} as const satisfies Fields

type PriceType = (typeof PRICE_TYPES)[number]

/** The prices that each price type needs. */
const PRICED: Readonly<Record<PriceType, { limit: boolean; trigger: boolean }>> = {
  MARKET: { limit: false, trigger: false },
  LIMIT: { limit: true, trigger: false },
  SL: { limit: true, trigger: true },
  'SL-M': { limit: false, trigger: true },
}

export function pricesOf(priceType: string): { limit: boolean; trigger: boolean } {
  const known = PRICE_TYPES.find((type) => type === priceType)
  if (known === undefined)
    throw new NodeError(`priceType '${priceType}' is not one of ${PRICE_TYPES.join(', ')}`)
  return PRICED[known]
}

interface Prices {
  pricetype: string
  price: number
  trigger_price: number
}

/** Refuses an order without the prices its type needs. @throws NodeError */
export function checkPrices({ pricetype, price, trigger_price }: Prices): void {
  const { limit, trigger } = pricesOf(pricetype)
  if (limit && !(price > 0)) throw new NodeError(`${pricetype} order needs a positive price, got ${price}`)
  if (trigger && !(trigger_price > 0)) {
    throw new NodeError(`${pricetype} order needs a positive trigger price, got ${trigger_price}`)
  }
}

/** Returns a field that must not be empty after its references are resolved. @throws NodeError */
export function requiredText(run: NodeRun, field: string): string {
  const text = run.text(field).trim()
  if (text === '') throw new NodeError(`${field} is empty; nothing was sent`)
  return text
}

/** Returns a quantity in whole units, truncated; CRYPTO allows fractions. */
export function unitsOf(quantity: number, exchange: string): number {
  return exchange === 'CRYPTO' ? quantity : Math.trunc(quantity)
}

/** Returns a number above zero. @throws NodeError */
export function positive(value: number, what: string): number {
  if (!(value > 0)) throw new NodeError(`Order needs a positive ${what}, got ${value}`)
  return value
}

/** Returns the price type of an order with its prices, checked. @throws NodeError */
export function readPrices(run: NodeRun): Prices {
  const prices = {
    pricetype: run.text('priceType'),
    price: run.number('price'),
    trigger_price: run.number('triggerPrice'),
  }
  checkPrices(prices)
  return prices
}

/** Runs `read` and adds the name of the list item to its error. @throws NodeError */
export function readItem<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    throw new NodeError(`${name}: ${error.message}`, error.extra)
  }
}

/** One item of a list of orders or legs, with references resolved, read by a table of fields. */
export class ListItem {
  readonly #item: Readonly<Record<string, unknown>>
  readonly #fields: Fields

  /** @throws NodeError for an unknown member, so that no part of a written order is lost */
  constructor(item: Readonly<Record<string, unknown>>, fields: Fields, ignored: readonly string[] = []) {
    this.#item = item
    this.#fields = fields
    const known = new Set([
      ...ignored,
      ...Object.entries(fields).flatMap(([name, { aliases = [] }]) => [name, ...aliases]),
    ])
    const unknown = Object.keys(item).filter((name) => !known.has(name))
    if (unknown.length > 0) throw new NodeError(`unknown member ${unknown.join(', ')}`)
  }

  /** Returns the value of a field, or `fallback`, or the default of the field. */
  value(field: string, fallback?: unknown): unknown {
    const { aliases = [], default: usual } = this.#fields[field] ?? {}
    const found = [field, ...aliases].map((name) => this.#item[name]).find((value) => !isBlank(value))
    return found ?? fallback ?? usual
  }

  /** @throws NodeError if the value is neither text nor a number, or is not one of the choices */
  text(field: string, fallback?: string): string {
    const value = this.value(field, fallback) ?? ''
    if (typeof value !== 'string' && typeof value !== 'number') throw new NodeError(`${field} is not a text`)
    const text = String(value).trim()
    const { choices } = this.#fields[field] ?? {}
    if (choices === undefined) return text
    const chosen = choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
    if (chosen === undefined) throw new NodeError(`${field} '${text}' is not one of ${choices.join(', ')}`)
    return chosen
  }

  /** @throws NodeError if the value is not a number */
  number(field: string, fallback?: number): number {
    const value = this.value(field, fallback)
    const number = typeof value === 'boolean' ? undefined : parseNumber(value)
    if (number === undefined) throw new NodeError(`${field} is not a number: '${String(value ?? '')}'`)
    return number
  }
}
