import { ACTIONS, PRICE_TYPES, PRODUCTS } from '../../../core/orders/vocabulary.js'
import { EXCHANGES } from '../../../views/market/exchange.js'
import type { ArgumentSpec } from '../../framework/command/description.js'
import type { OptionSpec } from '../../framework/command/option.js'
import { usageError } from '../../framework/errors.js'

/** A field of a request: its source, and its name in the API. */
export interface FieldSpec {
  field: string
  option: OptionSpec
  /** Name of the option after parsing. */
  name: string
  numeric?: boolean
  /** A number of units, which a person writes in digits alone. */
  units?: true
  /** Position among the words `SBIN NSE BUY 10`. */
  word?: number
  upper?: boolean
  /** All values that it can have. */
  values?: readonly string[]
  /** The option has no value: it says true. */
  isFlag?: boolean
  /** The value of a word that may be left out. */
  fallback?: number
}

/** A request as the user wrote it: fields under the API's names, with values that the daemon checks. */
export interface OrderDraft {
  readonly [field: string]: unknown
}

/** The fields of a plain order. */
export const ORDER_FIELDS: readonly FieldSpec[] = [
  {
    field: 'symbol',
    name: 'symbol',
    word: 0,
    upper: true,
    option: { flags: '--symbol <symbol>', summary: 'instead of the first word', complete: 'symbols' },
  },
  {
    field: 'exchange',
    name: 'exchange',
    word: 1,
    upper: true,
    option: { flags: '--exchange <code>', summary: 'instead of the second word', complete: EXCHANGES },
  },
  {
    field: 'action',
    name: 'action',
    word: 2,
    upper: true,
    values: ACTIONS,
    option: {
      flags: '--action <action>',
      summary: 'BUY or SELL, instead of the third word',
      complete: ACTIONS,
    },
  },
  {
    field: 'quantity',
    name: 'quantity',
    word: 3,
    numeric: true,
    units: true,
    option: { flags: '--quantity <units>', summary: 'units, instead of the fourth word' },
  },
  {
    field: 'pricetype',
    name: 'type',
    upper: true,
    values: PRICE_TYPES,
    option: {
      flags: '--type <type>',
      summary: 'MARKET, LIMIT, SL or SL-M (default: LIMIT with --price, SL-M with --trigger, SL with both)',
      complete: PRICE_TYPES,
    },
  },
  {
    field: 'price',
    name: 'price',
    numeric: true,
    option: { flags: '--price <price>', summary: 'limit price' },
  },
  {
    field: 'trigger_price',
    name: 'trigger',
    numeric: true,
    option: { flags: '--trigger <price>', summary: 'stop trigger price' },
  },
  {
    field: 'product',
    name: 'product',
    upper: true,
    option: { flags: '--product <product>', summary: 'MIS (default), CNC or NRML', complete: PRODUCTS },
  },
  {
    field: 'strategy',
    name: 'strategy',
    option: {
      flags: '--strategy <name>',
      summary: 'strategy the order belongs to (default: cli)',
      complete: 'strategies',
    },
  },
  {
    field: 'disclosed_quantity',
    name: 'disclosed',
    numeric: true,
    units: true,
    option: { flags: '--disclosed <units>', summary: 'disclosed quantity' },
  },
]

/** The options that tell the broker how to handle an order. */
export const INSTRUCTION_FIELDS: readonly FieldSpec[] = [
  {
    field: 'validity',
    name: 'validity',
    upper: true,
    option: {
      flags: '--validity <validity>',
      summary: 'DAY (default), IOC (fill at once or cancel), TTL (with --ttl)',
      complete: ['DAY', 'IOC', 'TTL'],
    },
  },
  {
    field: 'validity_ttl',
    name: 'ttl',
    numeric: true,
    option: { flags: '--ttl <minutes>', summary: 'minutes that an order of --validity TTL lives' },
  },
  {
    field: 'amo',
    name: 'amo',
    isFlag: true,
    option: { flags: '--amo', summary: 'wait for the next opening of the market' },
  },
  {
    field: 'iceberg_legs',
    name: 'icebergLegs',
    numeric: true,
    option: { flags: '--iceberg-legs <count>', summary: 'parts that the market sees one by one, 2 to 10' },
  },
  {
    field: 'market_protection',
    name: 'marketProtection',
    numeric: true,
    option: {
      flags: '--market-protection <percent>',
      summary: "how far MARKET and SL-M may move the price; -1 for the broker's own limit",
    },
  },
  {
    field: 'algo_id',
    name: 'algoId',
    option: { flags: '--algo-id <id>', summary: 'registered algorithm that sends the order' },
  },
  {
    field: 'client_order_id',
    name: 'clientOrderId',
    option: { flags: '--client-order-id <id>', summary: 'your own id of the order, as --idempotency-key' },
  },
]

/** Returns the argument for the words of a request, with the values to suggest for each word. */
export function orderArgument(fields: readonly FieldSpec[], summary: string): ArgumentSpec {
  const placed = fields.filter(({ word }) => word !== undefined)
  const words = placed
    .toSorted((a, b) => (a.word ?? 0) - (b.word ?? 0))
    .map(({ option: { complete } }) => (complete === undefined ? {} : { complete }))
  return { syntax: '[order...]', summary, words, fields: placed.map(({ field }) => field) }
}

/** Returns the options of a command that takes such a request. */
export function optionsOf(fields: readonly FieldSpec[]): readonly OptionSpec[] {
  return [
    ...fields.map(({ field, option }) => ({ ...option, field })),
    {
      flags: '--from <file>',
      summary: 'the request as a JSON file; - reads stdin; options override its fields',
    },
  ]
}

/** A decimal number, as the service takes it. `Number` would also read `0x10`. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Units in digits. An exchange with fractions has decimals, and a short position a sign. */
const DIGITS = /^-?\d+(\.\d+)?$/

/** Returns why a text is no number of units; undefined if it is one. `1e3` may be a slip of the keys for `13`. */
export function unitsProblem(text: string): string | undefined {
  if (DIGITS.test(text)) return undefined
  return DECIMAL.test(text.trim()) ? 'Must be in plain digits, such as 10.' : 'Not a valid number.'
}

/**
 * Returns a word as the value of its field.
 * @throws CliError of usage when it is none: nothing is sent then, and no key is printed
 */
export function convert(word: string, { field, numeric, units, upper, values }: FieldSpec): string | number {
  const problem = units && unitsProblem(word)
  if (problem) throw usageError(`${field}: ${problem}`)
  if (numeric) {
    if (!DECIMAL.test(word.trim())) throw usageError(`${field}: Not a valid number.`)
    return Number(word)
  }
  const value = upper ? word.toUpperCase() : word
  if (values && !values.includes(value)) throw usageError(`${field}: Must be one of: ${values.join(', ')}.`)
  return value
}
