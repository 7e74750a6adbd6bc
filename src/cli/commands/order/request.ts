import { readFile } from 'node:fs/promises'
import type { Input } from '../../command.js'
import { usageError } from '../../errors.js'
import type { Io } from '../../io.js'
import { isRow, parseJson, type Row } from '../../json.js'
import type { OptionSpec } from '../../option.js'

/** The fields of an order: where each comes from and what the API calls it. */
interface FieldSpec {
  field: string
  option: OptionSpec
  /** Name of the option after parsing. */
  name: string
  numeric?: boolean
  /** Position among the words `SBIN NSE BUY 10`. */
  word?: number
  upper?: boolean
}

const FIELDS: readonly FieldSpec[] = [
  {
    field: 'symbol',
    name: 'symbol',
    word: 0,
    upper: true,
    option: { flags: '--symbol <symbol>', summary: 'instead of the first word' },
  },
  {
    field: 'exchange',
    name: 'exchange',
    word: 1,
    upper: true,
    option: { flags: '--exchange <code>', summary: 'instead of the second word' },
  },
  {
    field: 'action',
    name: 'action',
    word: 2,
    upper: true,
    option: { flags: '--action <action>', summary: 'BUY or SELL, instead of the third word' },
  },
  {
    field: 'quantity',
    name: 'quantity',
    word: 3,
    numeric: true,
    option: { flags: '--quantity <units>', summary: 'units, instead of the fourth word' },
  },
  {
    field: 'pricetype',
    name: 'type',
    upper: true,
    option: { flags: '--type <type>', summary: 'MARKET (default), LIMIT, SL or SL-M' },
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
    option: { flags: '--product <product>', summary: 'MIS (default), CNC or NRML' },
  },
  {
    field: 'strategy',
    name: 'strategy',
    option: { flags: '--strategy <name>', summary: 'strategy the order belongs to (default: cli)' },
  },
  {
    field: 'disclosed_quantity',
    name: 'disclosed',
    numeric: true,
    option: { flags: '--disclosed <units>', summary: 'disclosed quantity' },
  },
]

export const REQUEST_OPTIONS: readonly OptionSpec[] = [
  ...FIELDS.map((field) => field.option),
  { flags: '--from <file>', summary: 'the order as a JSON file; - reads stdin; options win over its fields' },
]

/**
 * The body of placeorder from words, options and a file, in the API's own field names. Values are passed on as
 * given (numbers as numbers): the daemon validates, so that there is one set of rules and texts.
 */
export async function orderBody(input: Input, io: Io): Promise<Row> {
  const words = input.words(0)
  const file = words.length === 1 && words[0] === '-' ? '-' : input.text('from')
  if (file !== undefined && words.length > 0 && words[0] !== '-') {
    throw usageError('Give the order as words or by --from, not both.', 'See: svc order place --help')
  }
  const base = file === undefined ? {} : await readOrder(file, io)
  const body: Record<string, unknown> = { strategy: 'cli', ...base }
  for (const field of FIELDS) {
    const value =
      input.text(field.name) ??
      (file === undefined && field.word !== undefined ? words[field.word] : undefined)
    if (value !== undefined) body[field.field] = convert(value, field)
  }
  if (file === undefined) requireWords(body, words)
  return body
}

function convert(value: string, { numeric, upper }: FieldSpec): string | number {
  if (numeric && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
  return upper ? value.toUpperCase() : value
}

function requireWords(body: Row, words: readonly string[]): void {
  const missing = FIELDS.filter((field) => field.word !== undefined && body[field.field] === undefined)
  if (missing.length > 0) {
    throw usageError(
      `The order has no ${missing.map((field) => field.field).join(', no ')}.`,
      'Example: svc order place SBIN NSE BUY 10',
    )
  }
  if (words.length > 4)
    throw usageError(`What is "${words[4]}"?`, 'An order is SYMBOL EXCHANGE ACTION QUANTITY.')
}

async function readOrder(file: string, io: Io): Promise<Row> {
  const text = await readInput(file, io)
  const order = parseJson(text)
  if (!isRow(order)) throw usageError(`${file === '-' ? 'stdin' : file} does not hold one JSON object.`)
  return order
}

/** The text of a file named on the command line; `-` is stdin. */
export async function readInput(file: string, io: Io): Promise<string> {
  if (file === '-') return io.stdin.readAll()
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw usageError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
