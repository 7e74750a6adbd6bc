import { EXCHANGES, type Exchange, type Instrument } from '../schema.js'

const KNOWN_EXCHANGES: ReadonlySet<string> = new Set(EXCHANGES)
/** Texts that the packed table can store and that a terminal, a URL and a CSV can show. */
const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/

export function isExchange(text: string): text is Exchange {
  return KNOWN_EXCHANGES.has(text)
}

const LOWER_CASE = /[a-z]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/
/**
 * Far above any real contract. A larger value means a damaged row, and order values could not be computed
 * with it.
 */
const MAX_LOT = 10_000_000
const MAX_TICK = 100_000
const MAX_STRIKE = 1_000_000_000

/** Returns why a row is unusable, as a sentence; undefined if it is usable. */
export function rowFault(row: Instrument): string | undefined {
  if (!PRINTABLE_ASCII.test(row.symbol)) return `the symbol "${row.symbol.slice(0, 40)}" is not plain text`
  if (LOWER_CASE.test(row.symbol)) return `the symbol "${row.symbol}" is not in upper case`
  if (CONTROL.test(row.name)) return `the name of ${row.symbol} has control characters`
  if (!PRINTABLE_ASCII.test(row.brokerSymbol)) return `the broker symbol of ${row.symbol} is not plain text`
  if (!PRINTABLE_ASCII.test(row.token)) return `the token of ${row.symbol} is not plain text`
  if (!isExchange(row.exchange)) return `the exchange "${String(row.exchange)}" is unknown`
  if (!(row.lotSize > 0)) return `the lot size of ${row.symbol} is not above zero`
  if (row.lotSize > MAX_LOT) return `the lot size of ${row.symbol} is above ${MAX_LOT}`
  if (!(row.tickSize > 0)) return `the tick size of ${row.symbol} is not above zero`
  if (row.tickSize > MAX_TICK) return `the tick size of ${row.symbol} is above ${MAX_TICK}`
  if (!(row.strike >= 0 && row.strike <= MAX_STRIKE)) return `the strike of ${row.symbol} is not a price`
  return undefined
}
