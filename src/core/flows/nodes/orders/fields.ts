import { EXCHANGES } from '../../../instruments/index.js'
import {
  ACTIONS,
  hasPrice,
  ignoredPrices,
  impliedType,
  PRICE_TYPES,
  PRODUCTS,
  type PriceType,
  priceTypeNamed,
} from '../../../orders/index.js'
import { isObject } from '../../../validation/index.js'
import { isBlank } from '../../graph/graph.js'
import { interpolatedText } from '../../language/interpolation.js'
import { jsonIn } from '../../language/json.js'
import { parseNumber } from '../../language/numbers.js'
import { NodeError, type NodeRun } from '../definition.js'
import type { Field, Fields } from '../field.js'
import { SYMBOL, savedFlag } from '../form.js'
import { instructionFields } from './instructions.js'

const LONE_REFERENCE = /^\{\{[^}]*\}\}$/

/** Returns whether a text is exactly one reference. */
export function isLoneReference(text: string): boolean {
  return LONE_REFERENCE.test(text.trim())
}

/**
 * Returns the list of a field that holds a list, JSON text, or a reference to either. References inside are
 * resolved after the text is parsed, so that their values cannot change the structure.
 *
 * @throws NodeError for anything else
 */
export function listOf(run: NodeRun, field: string): readonly unknown[] {
  const saved = run.raw(field)
  const list = typeof saved === 'string' ? listInText(run, saved) : run.resolve(saved)
  if (Array.isArray(list)) return list
  throw new NodeError(`${field} is not a list`)
}

function listInText(run: NodeRun, text: string): unknown {
  if (!isLoneReference(text)) return run.resolve(jsonIn(text))
  const value = run.resolve(text)
  return typeof value === 'string' ? jsonIn(value) : value
}

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
  description:
    'Price type. LIMIT and SL need a price, SL and SL-M a trigger price. Without it, the prices decide: LIMIT with a ' +
    'price, SL-M with a trigger price, SL with both, else MARKET.',
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
  ...instructionFields,
  strategyTag: strategyTagField,
} as const satisfies Fields

/** Returns the prices of a price type. @throws NodeError for an unknown one */
export function pricesOf(priceType: string): { limit: boolean; trigger: boolean } {
  const known = knownType(priceType)
  return { limit: hasPrice(known, 'price'), trigger: hasPrice(known, 'trigger') }
}

function knownType(priceType: string): PriceType {
  const known = priceTypeNamed(priceType)
  if (known === undefined)
    throw new NodeError(`priceType '${priceType}' is not one of ${PRICE_TYPES.join(', ')}`)
  return known
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

/** Returns the price type that a node names; undefined if it names none, so that the prices decide. */
export function writtenType(run: NodeRun): string | undefined {
  return run.blank('priceType') ? undefined : run.text('priceType')
}

/** Returns the price type of an order with its prices, checked. @throws NodeError */
export function readPrices(run: NodeRun): Prices {
  const written = { price: run.raw('price'), trigger: run.raw('triggerPrice') }
  const prices = {
    pricetype: writtenType(run) ?? impliedType(written),
    price: run.number('price'),
    trigger_price: run.number('triggerPrice'),
  }
  checkPrices(prices)
  // Graphs of the public system keep the price of an order that became MARKET; files must not have one.
  for (const name of ignoredPrices(knownType(prices.pricetype), written)) {
    const field = name === 'price' ? 'price' : 'triggerPrice'
    run.log(`${field} is ignored: priceType is ${prices.pricetype}`, 'warn')
  }
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
  readonly #written: Readonly<Record<string, unknown>>
  readonly #isWrittenOut: boolean

  /**
   * `written` is the item before its references were resolved; a reference if the item is its value.
   * @throws NodeError for an unknown member, so that no part of a written order is lost
   */
  constructor(
    item: Readonly<Record<string, unknown>>,
    fields: Fields,
    { ignored = [], written }: { ignored?: readonly string[]; written?: unknown } = {},
  ) {
    this.#item = item
    this.#fields = fields
    this.#isWrittenOut = isObject(written)
    this.#written = isObject(written) ? written : item
    const known = new Set([
      ...ignored,
      ...Object.entries(fields).flatMap(([name, { aliases = [] }]) => [name, ...aliases]),
    ])
    const unknown = Object.keys(item).filter((name) => !known.has(name))
    if (unknown.length > 0) throw new NodeError(`unknown member ${unknown.join(', ')}`)
  }

  /**
   * Returns the value of a field, or `fallback`, or the default of the field.
   * @throws NodeError for an empty value that the data of the run has
   */
  value(field: string, fallback?: unknown): unknown {
    const names = this.#namesOf(field)
    const own = valueIn(this.#item, names)
    const emptied = own === undefined && names.find((name) => this.#isEmptied(name))
    if (emptied) throw new NodeError(`${emptied} is empty; nothing was sent`)
    return own ?? fallback ?? this.#fields[field]?.default
  }

  #namesOf(field: string): string[] {
    return [field, ...(this.#fields[field]?.aliases ?? [])]
  }

  /**
   * Returns whether data left a member empty: a default must not replace the side or the size that an alert lacks. A member
   * that a file leaves empty counts as left out.
   */
  #isEmptied(name: string): boolean {
    const value = this.#item[name]
    return value !== undefined && isBlank(value) && !(this.#isWrittenOut && isBlank(this.#written[name]))
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

  /**
   * Returns the price type of the item, or that of its node. Without both, the prices decide as they are written: a
   * reference stands for a price, even if it turns out to be 0. `nodePrice` is the price of items without their own.
   */
  priceType(field: string, trigger: string, node: string | undefined, nodePrice?: unknown): string {
    if (node !== undefined || !isBlank(this.value(field))) return this.text(field, node)
    const written = (name: string) => valueIn(this.#written, this.#namesOf(name))
    return impliedType({ price: written('price') ?? nodePrice, trigger: written(trigger) })
  }

  /** @throws NodeError if the value is neither true nor false */
  flag(field: string): boolean {
    const value = this.value(field)
    const flag = savedFlag(value)
    if (flag === undefined) throw new NodeError(`${field} '${interpolatedText(value)}' is not true or false`)
    return flag
  }

  /** @throws NodeError if the value is not a number */
  number(field: string, fallback?: number): number {
    const value = this.value(field, fallback)
    const number = typeof value === 'boolean' ? undefined : parseNumber(value)
    if (number === undefined) throw new NodeError(`${field} is not a number: '${String(value ?? '')}'`)
    return number
  }
}

/** Returns the first value under some names that is not blank. */
function valueIn(item: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  return names.map((name) => item[name]).find((value) => !isBlank(value))
}
