import { plainNumber, withDecimals } from '../../core/csv/plain-number.js'
import { istInstant, istParts } from '../../core/time/index.js'
import { valueInWords } from '../text/words.js'

/** The kind of a value, which decides its format. Money is in rupees unless the heading says otherwise. */
export type Kind =
  | 'text'
  | 'money'
  | 'price'
  | 'signed'
  /** The change of a price, with its sign and the decimals of prices. */
  | 'change'
  | 'quantity'
  /** A number without a fixed meaning, or a word in its place, such as off; a document has either. */
  | 'limit'
  | 'decimals'
  | 'time'
  | 'status'
  /** Several texts, of which a record shows a person each in a line of its own. */
  | 'lines'

/** The format of a cell: readable for a person, or raw for a program. */
export interface CellStyle {
  human: boolean
  utc: boolean
  /** True when times for people name their zone; a table names it in the heading instead. */
  zone?: boolean
  now: number
}

const DAY_MS = 86_400_000
/** The largest expected difference between the clocks of daemon and terminal. */
const CLOCKS_DIFFER_MS = 60_000

const MONEY = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
/** Currencies are quoted with four decimals. */
const PRICE = { minimumFractionDigits: 2, maximumFractionDigits: 4 }
const QUANTITY = { maximumFractionDigits: 8 }
/** The most decimals of each kind of number in a document: paise, the finest tick, a hundred-millionth of a coin. */
export const MOST_DECIMALS: Readonly<Partial<Record<Kind, number>>> = {
  money: 2,
  signed: 2,
  price: 8,
  change: 8,
  quantity: 8,
  decimals: 4,
}

/** The decimals of the finest tick of an exchange. Those of CRYPTO, and of a row without an exchange, are not known. */
const TICK_DECIMALS: Readonly<Record<string, number>> = {
  NSE: 2,
  BSE: 2,
  NFO: 2,
  BFO: 2,
  MCX: 2,
  NCO: 2,
  NCDEX: 2,
  NSE_INDEX: 2,
  BSE_INDEX: 2,
  MCX_INDEX: 2,
  CDS: 4,
  BCD: 4,
}
/** The decimals that an average of fills needs beyond those of the tick, so that its product with a quantity is right. */
const AVERAGE_DECIMALS = 2
const PRICES: ReadonlySet<Kind> = new Set(['price', 'change'])

/** @param exchange the exchange of a row, as the row has it */
const tickDecimals = (exchange: unknown): number | undefined =>
  typeof exchange === 'string' ? TICK_DECIMALS[exchange] : undefined

function mostDecimals(kind: Kind, exchange: unknown): number | undefined {
  const tick = PRICES.has(kind) ? tickDecimals(exchange) : undefined
  return tick === undefined ? MOST_DECIMALS[kind] : tick + AVERAGE_DECIMALS
}

/** Returns the format of a price for people: that of a tick. */
const priceFormat = (exchange: unknown) => (tickDecimals(exchange) === 2 ? MONEY : PRICE)

/**
 * Returns one value for a document: a number for money, prices and quantities, an ISO time with its zone,
 * otherwise the value itself. A missing value is null, and so is a word in place of a number.
 * @param exchange the exchange of its row, on which the decimals of a price depend
 */
export function dataValue(value: unknown, kind: Kind, style: CellStyle, exchange?: unknown): unknown {
  if (value === null || value === undefined) return null
  if (kind === 'time') return value === '' ? null : isoText(value, style)
  const most = mostDecimals(kind, exchange)
  if (most === undefined) return typeof value === 'number' ? plainNumber(value) : value
  if (isNumeric(value)) return withDecimals(Number(value), most)
  return typeof value === 'string' ? null : value
}

/**
 * Returns one value as text without colour: raw numbers and ISO times for a program, grouped and short ones
 * for a person.
 * @param exchange the exchange of its row, on which the decimals of a price depend
 */
export function cellText(value: unknown, kind: Kind, style: CellStyle, exchange?: unknown): string {
  if (value === null || value === undefined) return style.human ? '-' : ''
  if (kind === 'time') return style.human ? timeText(value, style) : isoText(value, style)
  if (style.human && isNumeric(value)) {
    const number = Number(value)
    if (kind === 'money' || kind === 'decimals') return grouped(number, MONEY)
    // A price of zero means no price: an order at the market, or one without a fill.
    if (kind === 'price') return number === 0 ? '-' : grouped(number, priceFormat(exchange))
    if (kind === 'signed') return (number > 0 ? '+' : '') + grouped(number, MONEY)
    if (kind === 'change') return (number > 0 ? '+' : '') + grouped(number, priceFormat(exchange))
    if (kind === 'quantity' || kind === 'limit') return grouped(number, QUANTITY)
  }
  if (Array.isArray(value) && value.every((part) => typeof part !== 'object'))
    return visible(value.join(kind === 'lines' ? '; ' : ', '))
  if (typeof value === 'object') return visible(style.human ? valueInWords(value) : JSON.stringify(value))
  const data = dataValue(value, kind, style, exchange)
  // A person also reads the word in place of a number, such as the Multiple of a basket.
  return visible(String(data ?? (style.human ? value : '')))
}

/** Returns an amount in rupees: `₹1,20,000.00`. Every message of a command and of a screen uses it. */
export const rupees = (amount: number): string => `₹${grouped(amount, MONEY)}`

/** Returns a price in rupees, of a currency with its four decimals: `₹83.2525`. */
export const rupeePrice = (price: number): string => `₹${grouped(price, PRICE)}`

const formats = new Map<Intl.NumberFormatOptions, Intl.NumberFormat>()

/** Returns a number with Indian grouping. `toLocaleString` makes a format for each number, which costs far more than its use. */
function grouped(number: number, options: Intl.NumberFormatOptions): string {
  let format = formats.get(options)
  if (format === undefined) {
    format = new Intl.NumberFormat('en-IN', { ...options, signDisplay: 'negative' })
    formats.set(options, format)
  }
  return format.format(number)
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
}

/** Escapes control and direction-changing characters, which could forge the content of a terminal. */
export function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Parses the daemon's time formats; text without a zone is Indian time. */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  const local = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.\d+)?(?: IST)?$/.exec(value)
  const instant = local ? istInstant(local[1] ?? '', local[2]) : Date.parse(value)
  return Number.isNaN(instant) ? undefined : instant
}

/** Parses a time of day from the trade book as its last occurrence, because no trade lies in the future. */
function timeOfDay(value: unknown, now: number): number | undefined {
  if (typeof value !== 'string' || !/^\d{2}:\d{2}:\d{2}$/.test(value)) return undefined
  const today = istInstant(wallClock(now, false).date, value)
  if (Number.isNaN(today)) return undefined
  return today > now + CLOCKS_DIFFER_MS ? today - DAY_MS : today
}

/** The fields of the API that hold an instant, such as `created_at`, `created_at_ist`, `time` and `since`. */
const INSTANT_FIELD = /(?:^|_)(?:at|at_ist|time|timestamp|ts|since|until|seen|updated)$/
const ZONED_INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(?:Z|[+-]\d{2}:\d{2}| IST)$/

/** Returns a field that no column declares, with all instants in it as ISO times in the zone of the style. */
export function undeclaredValue(key: string, value: unknown, style: CellStyle): unknown {
  if (Array.isArray(value)) return value.map((item) => undeclaredValue('', item, style))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, undeclaredValue(name, inner, style)]),
    )
  }
  if (typeof value === 'number') return plainNumber(value)
  return isInstantIn(key, value) ? isoText(value, style) : value
}

/** Returns whether a field holds an instant, by its name and its text. */
export function isInstantIn(key: string, value: unknown): boolean {
  return typeof value === 'string' && INSTANT_FIELD.test(key) && ZONED_INSTANT.test(value)
}

/** Returns an instant for a program: ISO 8601 in the zone of the style, with its milliseconds if the daemon names them. */
function isoText(value: unknown, { now, utc }: CellStyle): string {
  const instant = timeOfDay(value, now) ?? instantOf(value)
  if (instant === undefined) return visible(String(value))
  const { date, time } = wallClock(instant, utc)
  const fraction = typeof value === 'number' ? millisecondsOf(value) : FRACTION.exec(String(value))?.[0]
  return `${date}T${time}${fraction ?? ''}${utc ? 'Z' : '+05:30'}`
}

const FRACTION = /(?<=:\d{2})\.\d+(?=Z$|[+-]\d{2}:\d{2}$| IST$|$)/

const millisecondsOf = (instant: number): string =>
  instant % 1000 === 0 ? '' : `.${String(Math.abs(Math.trunc(instant)) % 1000).padStart(3, '0')}`

/** Returns an instant for a person. */
function timeText(value: unknown, style: CellStyle): string {
  const instant = timeOfDay(value, style.now) ?? instantOf(value)
  if (instant === undefined) return visible(String(value))
  const zone = style.utc ? 'UTC' : 'IST'
  const wall = wallClock(instant, style.utc)
  const today = wallClock(style.now, style.utc).date
  const time = wall.date === today ? wall.time : `${wall.date} ${wall.time}`
  return style.zone === false ? time : `${time} ${zone}`
}

function wallClock(ms: number, utc: boolean): { date: string; time: string } {
  const two = (n: number) => String(n).padStart(2, '0')
  if (utc) {
    const iso = new Date(ms).toISOString()
    return { date: iso.slice(0, 10), time: iso.slice(11, 19) }
  }
  const p = istParts(ms)
  return {
    date: `${p.year}-${two(p.month)}-${two(p.day)}`,
    time: `${two(p.hour)}:${two(p.minute)}:${two(p.second)}`,
  }
}

const SIGNED: ReadonlySet<Kind> = new Set(['signed', 'change'])

/** Returns the colour of a status or a signed amount; colour is never the only sign. */
export function toneOf(value: unknown, kind: Kind): 'green' | 'red' | 'yellow' | 'cyan' | undefined {
  if (SIGNED.has(kind)) return Number(value) < 0 ? 'red' : Number(value) > 0 ? 'green' : undefined
  if (kind !== 'status') return undefined
  return TONES[String(value).toLowerCase()]
}

const TONES: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'cyan'>> = {
  ok: 'green',
  running: 'green',
  yes: 'green',
  ready: 'green',
  complete: 'green',
  approved: 'green',
  accepted: 'green',
  filled: 'green',
  buy: 'green',
  fail: 'red',
  critical: 'red',
  errored: 'red',
  no: 'red',
  live: 'red',
  rejected: 'red',
  refused: 'red',
  in_doubt: 'red',
  unknown: 'red',
  stopped: 'red',
  sell: 'red',
  warn: 'yellow',
  pending: 'yellow',
  open: 'yellow',
  'trigger pending': 'yellow',
  semi_auto: 'yellow',
  starting: 'yellow',
  cancelled: 'yellow',
  analyze: 'cyan',
}
