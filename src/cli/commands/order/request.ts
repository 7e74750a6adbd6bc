import { createReadStream } from 'node:fs'
import { isObject, parseJson } from '../../../client/answers/json.js'
import { ACTIONS, PRICE_TYPES, PRODUCTS } from '../../../core/orders/vocabulary.js'
import { EXCHANGES } from '../../../views/market/exchange.js'
import type { Input } from '../../framework/command/command.js'
import type { ArgumentSpec } from '../../framework/command/description.js'
import type { OptionSpec } from '../../framework/command/option.js'
import { CliError, usageError } from '../../framework/errors.js'
import type { Io } from '../../io/io.js'
import { readAll } from '../../io/read-all.js'
import { separated, symbolOf } from '../market/symbols.js'

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
  return { syntax: '[order...]', summary, words }
}

/** Returns the options of a command that takes such a request. */
export function optionsOf(fields: readonly FieldSpec[]): readonly OptionSpec[] {
  return [
    ...fields.map((field) => field.option),
    {
      flags: '--from <file>',
      summary: 'the request as a JSON file; - reads stdin; options override its fields',
    },
  ]
}

/**
 * Returns the body of a request from words, options and a file, with the API's own field names. The daemon validates it; here
 * only what cannot be a value at all is refused.
 */
export async function bodyOf(
  fields: readonly FieldSpec[],
  input: Input,
  io: Io,
  example: string,
): Promise<OrderDraft> {
  const words = separated(input.words(0))
  const file = fileOf(input)
  if (file !== undefined && words.length > 0 && words[0] !== '-') {
    throw usageError('Pass the order as words or with --from, not both.', `Example: svc ${example}`)
  }
  const base = file === undefined ? {} : await readRequest(file, io)
  const body: { [field: string]: unknown } = {
    strategy: 'cli',
    ...base,
    ...withExchange(fieldsFromOptions(fields, input)),
  }
  if (file === undefined) {
    requireExchange(fields, body, words)
    for (const field of fields) {
      const word = field.word === undefined ? undefined : words[field.word]
      if (word !== undefined) body[field.field] = oneOf(field, convert(word, field), body[field.field])
    }
    requireWords(fields, body, words, example)
  }
  return body
}

/** Returns the value of a word. @throws CliError of usage if an option has another one for the same field */
function oneOf({ field, option }: FieldSpec, word: unknown, given: unknown): unknown {
  if (given === undefined || given === word) return word
  const [flag = field] = option.flags.split(' ')
  throw usageError(
    `The order has two values of ${field}: ${String(word)}, and ${flag} ${String(given)}.`,
    'Pass one.',
  )
}

/** Returns the file that holds the request, `-` for stdin; undefined for a request in words and options. */
export function fileOf(input: Input): string | undefined {
  const words = separated(input.words(0))
  return words.length === 1 && words[0] === '-' ? '-' : input.text('from')
}

/** Returns the fields with `--symbol NSE:SBIN` as symbol and exchange. */
function withExchange(given: OrderDraft): OrderDraft {
  for (const name of ['symbol', 'underlying']) {
    const { [name]: word, exchange: code } = given
    if (typeof word !== 'string' || !word.includes(':')) continue
    const { symbol, exchange } = symbolOf(word, typeof code === 'string' ? code : undefined)
    return { ...given, [name]: symbol, exchange }
  }
  return given
}

/** Returns the fields that are given as options. */
export function fieldsFromOptions(fields: readonly FieldSpec[], input: Input): OrderDraft {
  return Object.fromEntries(
    fields.flatMap((field): [string, string | number | boolean][] => {
      if (field.isFlag) return input.flag(field.name) ? [[field.field, true]] : []
      const value = input.text(field.name)
      return value === undefined ? [] : [[field.field, convert(value, field)]]
    }),
  )
}

/** A decimal number, as the service takes it. `Number` would also read `0x10`. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

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

/** Refuses `SBIN BUY 10`, whose second word is no exchange. */
function requireExchange(fields: readonly FieldSpec[], body: OrderDraft, words: readonly string[]): void {
  const [symbol = '', second = ''] = words
  const isSecond = fields.some(({ field, word }) => field === 'exchange' && word === 1)
  if (!isSecond || body.exchange !== undefined || !ACTIONS.some((one) => one === second.toUpperCase())) return
  const name = symbol.toUpperCase()
  throw usageError(`The exchange of ${name} is missing.`, `Example: NSE:${name}, or ${name} NSE`)
}

function requireWords(
  fields: readonly FieldSpec[],
  body: { [field: string]: unknown },
  words: readonly string[],
  example: string,
): void {
  const places = fields.filter((field) => field.word !== undefined)
  for (const { fallback, field } of places) {
    if (fallback !== undefined) body[field] ??= fallback
  }
  const missing = places.filter((field) => body[field.field] === undefined)
  if (missing.length > 0) {
    throw usageError(
      `The order has no ${missing.map((field) => field.field).join(', no ')}.`,
      `Example: svc ${example}`,
    )
  }
  const extra = words[places.length]
  if (extra !== undefined) {
    const order = places.map((field) => field.field.toUpperCase()).join(' ')
    throw usageError(`The word "${extra}" is not expected.`, `An order is ${order}.`)
  }
}

/**
 * Reads a request from a file, as JSON or YAML; `-` is stdin. A bare list becomes its member `list`, and orders may be a CSV,
 * too.
 */
export async function readRequest(file: string, io: Io, list?: 'orders' | 'legs'): Promise<OrderDraft> {
  const text = await readInput(file, io)
  const name = file === '-' ? 'stdin' : file
  const isCsv = list === 'orders' && /\.csv$/i.test(file)
  const request = isCsv ? undefined : (parseJson(text) ?? (await parseYaml(text)))
  if (list !== undefined && Array.isArray(request)) return { [list]: request }
  if (isObject(request)) return request
  if (list === 'orders') {
    const { isOrdersCsv, ordersOfCsv } = await import('./basket/csv.js')
    if (isCsv || isOrdersCsv(text)) return { orders: ordersOfCsv(text, name) }
    throw usageError(`${name} must be orders as JSON, YAML or CSV.`, 'See the forms: svc order basket --help')
  }
  const form = list === undefined ? 'one object' : `one object, or a list of ${list}`
  throw usageError(`${name} must contain ${form}, as JSON or YAML.`)
}

/** The forms of a number that YAML has beside plain digits: `0x10` and `1e3`. Here they are texts, as in JSON or no number. */
const OTHER_NUMBERS: ReadonlySet<string | undefined> = new Set(['OCT', 'HEX', 'EXP'])

async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text, {
      customTags: (tags) =>
        tags.filter((tag) => typeof tag === 'string' || !('format' in tag) || !OTHER_NUMBERS.has(tag.format)),
    })
  } catch {
    return undefined
  }
}

/** Returns the text of a file named on the command line; `-` is stdin. */
export async function readInput(file: string, io: Io): Promise<string> {
  if (file === '-') return io.stdin.readAll()
  try {
    return await readAll(createReadStream(file), undefined, file)
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw usageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
