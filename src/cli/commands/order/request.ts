import { createReadStream } from 'node:fs'
import { isObject, parseJson } from '../../../client/answers/json.js'
import { ACTIONS } from '../../../core/orders/vocabulary.js'
import { isExchange } from '../../../views/market/exchange.js'
import type { Input } from '../../framework/command/command.js'
import { CliError, usageError } from '../../framework/errors.js'
import type { Io } from '../../io/io.js'
import { readAll } from '../../io/read-all.js'
import { separated, symbolOf } from '../market/symbols.js'
import { convert, type FieldSpec, type OrderDraft, unitsProblem } from './fields.js'

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
    requireOrderOfWords(fields, words)
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

/** Refuses `BUY 10 SBIN`, as other programs and `svc do` take it: its words would be read as other fields. */
function requireOrderOfWords(fields: readonly FieldSpec[], words: readonly string[]): void {
  const placed = fields.filter(({ word }) => word !== undefined)
  const place = placed.find(({ field }) => field === 'action')?.word
  const at = words.findIndex((one) => isAction(one))
  // The second word in its place is an exchange that is missing.
  if (place === undefined || at < 0 || at === 1 || at === place || isAction(words[place] ?? '')) return
  const { [at]: action = '' } = words
  const rest = words.filter((_, index) => index !== at)
  const quantity = rest.find((one) => unitsProblem(one) === undefined)
  const exchange = rest.find((one) => isExchange(one.toUpperCase())) ?? 'NSE'
  const symbol = rest.find((one) => one !== quantity && !isExchange(one.toUpperCase()))
  const order = placed.map(({ field }) => field.toUpperCase()).join(' ')
  const named = symbol?.includes(':') ? [symbol] : [symbol, exchange]
  const meant = [...named, action, quantity].map((one) => one?.toUpperCase())
  throw usageError(
    `The word "${action}" is not expected there: an order is ${order}.`,
    meant.includes(undefined) ? 'Example: SBIN NSE BUY 10' : `Did you mean ${meant.join(' ')}?`,
  )
}

const isAction = (word: string) => ACTIONS.some((one) => one === word.toUpperCase())

/** Refuses `SBIN BUY 10`, whose second word is no exchange. */
function requireExchange(fields: readonly FieldSpec[], body: OrderDraft, words: readonly string[]): void {
  const [symbol = '', second = ''] = words
  const isSecond = fields.some(({ field, word }) => field === 'exchange' && word === 1)
  if (!isSecond || body.exchange !== undefined || !isAction(second)) return
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
