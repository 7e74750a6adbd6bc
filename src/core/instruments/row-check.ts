import { EXCHANGES, type Exchange, type Instrument } from './schema.js'

const KNOWN_EXCHANGES: ReadonlySet<string> = new Set(EXCHANGES)
/** What the packed table can hold, and what a terminal, a URL and a CSV can show. */
const PRINTABLE_ASCII = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/

export function isExchange(text: string): text is Exchange {
  return KNOWN_EXCHANGES.has(text)
}

/** What makes a row unusable, as a sentence; undefined when it is sound. */
export function rowFault(row: Instrument): string | undefined {
  if (!PRINTABLE_ASCII.test(row.symbol)) return `the symbol "${row.symbol.slice(0, 40)}" is not plain text`
  if (!PRINTABLE_ASCII.test(row.brokerSymbol)) return `the broker symbol of ${row.symbol} is not plain text`
  if (!PRINTABLE_ASCII.test(row.token)) return `the token of ${row.symbol} is not plain text`
  if (!isExchange(row.exchange)) return `the exchange "${String(row.exchange)}" is unknown`
  if (!(row.lotSize > 0 && Number.isFinite(row.lotSize)))
    return `the lot size of ${row.symbol} is not above zero`
  if (!(row.tickSize > 0 && Number.isFinite(row.tickSize)))
    return `the tick size of ${row.symbol} is not above zero`
  if (!(row.strike >= 0 && Number.isFinite(row.strike))) return `the strike of ${row.symbol} is not a price`
  return undefined
}
