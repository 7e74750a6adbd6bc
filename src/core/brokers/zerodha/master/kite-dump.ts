import { type CsvRecord, csvRecords } from '../../../csv/index.js'
import { ServiceError } from '../../../errors/index.js'
import {
  type DumpProblem,
  dateToExpiry,
  futureSymbol,
  hasContractUnits,
  isExchange,
  lotInUnits,
  optionSymbol,
  rowFault,
} from '../../../instruments/index.js'
import type { Exchange, Instrument } from '../../../instruments/schema.js'
import { indexSymbol } from '../../kit/master/index-names.js'

const COLUMNS = [
  'instrument_token',
  'exchange_token',
  'tradingsymbol',
  'name',
  'last_price',
  'expiry',
  'strike',
  'tick_size',
  'lot_size',
  'instrument_type',
  'segment',
  'exchange',
] as const
type ColumnName = (typeof COLUMNS)[number]

/** Reads a column of a record; a missing column is empty. */
type Cell = (column: ColumnName) => string

/** Exchanges whose instruments trade elsewhere and are quoted here as indices. */
const GLOBAL_VENUES: ReadonlySet<string> = new Set(['GLOBAL', 'NSEIX'])
const INDEX_EXCHANGES: ReadonlyMap<string, Exchange> = new Map([
  ['NSE', 'NSE_INDEX'],
  ['BSE', 'BSE_INDEX'],
  ['MCX', 'MCX_INDEX'],
  ['NSEIX', 'GLOBAL_INDEX'],
  ['GLOBAL', 'GLOBAL_INDEX'],
])
/** The dump has no tick size for indices; they are never traded. */
const INDEX_TICK = 0.05
/** Matches `INDIACEM` in `INDIACEM17DEC220PE` and in the weekly form `INDIACEM17D07220PE`. */
const ROOT = /^(.+?)\d{2}(?:[A-Z]{3}|[1-9OND]\d{2})(?:\d+(?:\.\d+)?(?:CE|PE)|FUT)$/
const PLAIN_ROOT = /^[A-Z0-9&_-]+$/

/**
 * Parses an instrument dump in Kite Connect's CSV format and normalises it: service symbols, index codes,
 * `DD-MON-YY` expiries (from `YYYY-MM-DD` or `DD-MM-YYYY`), and the underlying as the name of contracts.
 * Currency indices are skipped. Unusable rows and repeated symbols go to `report`; parsing continues. Yields undefined for a
 * record that gives no instrument, so that a caller can pause after any record.
 * @throws ServiceError `validation` if the header is not Kite's, the last record is truncated, or no row is
 * usable
 */
export function* parseKiteDump(
  text: string,
  report: (problem: DumpProblem) => void = () => undefined,
): Generator<Instrument | undefined> {
  const records = csvRecords(text)
  const positions = columnPositions(records.next().value)
  let count = 0
  let first: DumpProblem | undefined
  let last: CsvRecord | undefined
  const lines = new Map<string, number>()
  for (const record of records) {
    const { line, fields } = record
    last = record
    const cell: Cell = (column) => fields[positions.get(column) ?? -1]?.trim() ?? ''
    const row =
      fields.length < COLUMNS.length ? `it has ${fields.length} columns, not 12` : instrumentOf(cell)
    if (row === undefined) {
      yield undefined
      continue
    }
    const reason = typeof row === 'string' ? row : (rowFault(row) ?? repetition(row, lines))
    if (typeof row !== 'string' && reason === undefined) {
      count++
      lines.set(keyOf(row), line)
      yield row
    } else if (reason !== undefined) {
      first ??= { line, reason }
      report({ line, reason })
      yield undefined
    }
  }
  refuseCut(text, last)
  if (count > 0) return
  const detail = first ? ` Line ${first.line}: ${first.reason}.` : ''
  throw new ServiceError('validation', `The dump has no usable instrument.${detail}`)
}

function keyOf({ exchange, symbol }: Instrument): string {
  return `${exchange}:${symbol}`
}

/** If a symbol appears twice on an exchange, the first row wins. */
function repetition(row: Instrument, lines: ReadonlyMap<string, number>): string | undefined {
  const line = lines.get(keyOf(row))
  return line === undefined ? undefined : `${row.symbol} on ${row.exchange} is already listed on line ${line}`
}

/**
 * A file that ends within a record has also lost the records after it, so it is refused even if it has many
 * rows.
 */
function refuseCut(text: string, last: CsvRecord | undefined): void {
  if (last === undefined || last.fields.length >= COLUMNS.length || text.endsWith('\n')) return
  throw new ServiceError(
    'validation',
    `The dump is truncated: its last record, on line ${last.line}, has ${last.fields.length} columns, not ${COLUMNS.length}, and no end of line.`,
  )
}

function columnPositions(header: CsvRecord | undefined): ReadonlyMap<ColumnName, number> {
  const names = header?.fields.map((name) => name.trim().toLowerCase()) ?? []
  const position = (name: ColumnName): number => names.indexOf(name)
  const missing = COLUMNS.filter((name) => position(name) < 0)
  if (missing.length > 0) {
    throw new ServiceError(
      'validation',
      `This is not an instrument dump in Kite's format: the header lacks ${missing.join(', ')}.`,
    )
  }
  return new Map(COLUMNS.map((name) => [name, position(name)]))
}

/** Returns the row; the reason if it is unusable; or undefined if it is skipped on purpose. */
function instrumentOf(cell: Cell): Instrument | string | undefined {
  const venue = cell('exchange')
  const isIndex = cell('segment') === 'INDICES' || GLOBAL_VENUES.has(venue)
  if (isIndex && venue === 'CDS') return undefined
  const exchange = isIndex ? INDEX_EXCHANGES.get(venue) : venue
  if (exchange === undefined || !isExchange(exchange)) return `the exchange "${venue}" is unknown`
  const instrumentType = isIndex ? 'INDEX' : cell('instrument_type')
  const tick = decimalOf(cell('tick_size'))
  const terms = isIndex
    ? undated(cell, indexSymbol(exchange, cell('tradingsymbol')))
    : TERMS_BY_TYPE.get(instrumentType)?.(cell)
  if (terms === undefined) return `the instrument type "${instrumentType}" is unknown`
  if (typeof terms === 'string') return terms
  const lotSize = isIndex ? 1 : lotOf(exchange, terms.name, decimalOf(cell('lot_size')))
  if (typeof lotSize === 'string') return lotSize
  return {
    symbol: terms.symbol,
    brokerSymbol: cell('tradingsymbol'),
    name: terms.name,
    exchange,
    brokerExchange: venue,
    token: cell('instrument_token'),
    expiry: terms.expiry,
    strike: terms.strike,
    lotSize,
    instrumentType,
    tickSize: isIndex ? tick || INDEX_TICK : tick,
  }
}

/**
 * Returns the lot size in units; the reason if the row is unusable. Where Kite counts lots, the file says 1 and the
 * table of contract units has the size. Another figure would mean that Kite counts in another way now.
 */
function lotOf(exchange: Exchange, name: string, listed: number): number | string {
  if (!hasContractUnits(exchange)) return listed
  const lot = lotInUnits({ exchange, name }) ?? 1
  return listed === 1 || listed === lot ? lot : `the lot size ${listed} of ${name} is neither 1 nor ${lot}`
}

/** Parses a plain decimal; NaN for anything else. A broker never writes `0x10` or `1e300`. */
function decimalOf(text: string): number {
  return /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
}

/** The fields that depend on the kind of instrument. */
type Terms = Pick<Instrument, 'symbol' | 'name' | 'expiry' | 'strike'>

const TERMS_BY_TYPE: ReadonlyMap<string, (cell: Cell) => Terms | string> = new Map([
  ['EQ', (cell: Cell) => undated(cell, cell('tradingsymbol'))],
  ['FUT', futureTerms],
  ['CE', (cell: Cell) => optionTerms(cell, 'CE')],
  ['PE', (cell: Cell) => optionTerms(cell, 'PE')],
])

function undated(cell: Cell, symbol: string): Terms {
  return { symbol, name: cell('name') || cell('tradingsymbol'), expiry: '', strike: 0 }
}

function futureTerms(cell: Cell): Terms | string {
  return dated(cell, (name, expiry) => ({ symbol: futureSymbol(name, expiry), name, expiry, strike: 0 }))
}

function optionTerms(cell: Cell, type: 'CE' | 'PE'): Terms | string {
  return dated(cell, (name, expiry) => {
    const strike = decimalOf(cell('strike'))
    if (!(strike > 0)) return `the strike "${cell('strike')}" is not above zero`
    return { symbol: optionSymbol(name, expiry, strike, type), name, expiry, strike }
  })
}

function dated(cell: Cell, terms: (name: string, expiry: string) => Terms | string): Terms | string {
  const name = rootOf(cell)
  if (name === undefined) return `the underlying of "${cell('tradingsymbol')}" is unknown`
  const expiry = dateToExpiry(cell('expiry'))
  return expiry === undefined ? `the expiry "${cell('expiry')}" is not a date` : terms(name, expiry)
}

/**
 * Returns the underlying from the name column. Old dumps leave it empty, so the trading symbol is parsed
 * instead.
 */
function rootOf(cell: Cell): string | undefined {
  const name = cell('name')
  return PLAIN_ROOT.test(name) ? name : rootOfSymbol(cell('tradingsymbol'))
}

/** Returns the underlying in one of Kite's contract symbols: `GOLDM` of `GOLDM26DECFUT`. */
export function rootOfSymbol(tradingsymbol: string): string | undefined {
  return ROOT.exec(tradingsymbol)?.[1]
}
