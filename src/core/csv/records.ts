import { ServiceError } from '../errors/index.js'
import { BYTE_ORDER_MARK } from './byte-order-mark.js'
import { plainNumber } from './plain-number.js'

/** First characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+@\t\r\n-]/
const NEEDS_QUOTES = /[",\r\n]/
/**
 * Control characters that no cell needs, and those that end a line or override the direction of text. Many programs end
 * the file, or refuse it, at a NUL; a terminal acts on the others.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Formats a record of comma-separated values with its line end (RFC 4180). Text that a spreadsheet would run
 * as a formula gets a leading `'`. Numbers stay unchanged, including negative ones and numbers given as text.
 * Control characters except tab and line break are escaped, a NUL as `\u0000`; so are overrides of the direction.
 */
export function csvRecord(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function withPlainNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? plainNumber(value) : value
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const plain = typeof value === 'number' ? plainNumber(value) : value
  const raw = typeof plain === 'object' ? JSON.stringify(plain, withPlainNumbers) : String(plain)
  const text = raw.replace(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const cell = FORMULA.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** A record of a CSV text. `line` is the line of its first character, starting at 1. */
export interface CsvRecord {
  line: number
  fields: string[]
}

/**
 * The maximum length of a record in characters. A line of a dump has a few hundred; a longer record means
 * that a quote is not closed.
 */
export const MAX_RECORD_LENGTH = 65_536

/** The most blank lines in a row: they give no record, so a parser could not let others go first between them. */
const MAX_BLANK_LINES = 10_000

/**
 * Parses comma-separated records. Fields may be quoted and may contain commas, doubled quotes and line breaks
 * (RFC 4180). Lines end in LF or CRLF; blank lines are skipped. An unclosed quote takes the rest of the text.
 * The parser reads every character a fixed number of times.
 * @throws ServiceError `validation` at a record longer than {@link MAX_RECORD_LENGTH}, and after too many blank lines
 */
export function* csvRecords(text: string): Generator<CsvRecord> {
  // The text may be large, so it is not copied.
  let at = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0
  let line = 1
  let blank = 0
  while (at < text.length) {
    const first = line
    let end = endOfLine(text, at)
    let open = endsInQuotes(text.slice(at, end), false)
    line++
    // Join lines while a quote is open.
    while (open && end < text.length && end - at <= MAX_RECORD_LENGTH) {
      const from = end + 1
      end = endOfLine(text, from)
      open = endsInQuotes(text.slice(from, end), open)
      line++
    }
    if (end - at > MAX_RECORD_LENGTH) throw tooLong(first)
    const record = text.slice(at, text[end - 1] === '\r' ? end - 1 : end)
    at = end + 1
    if (record === '') {
      if (++blank > MAX_BLANK_LINES) throw tooBlank(first)
      continue
    }
    blank = 0
    yield { line: first, fields: record.includes('"') ? quotedFields(record) : record.split(',') }
  }
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}

/** Returns whether a quote is open after the line; `before` says whether one was open before it. */
function endsInQuotes(line: string, before: boolean): boolean {
  let open = before
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) open = !open
  return open
}

function tooBlank(line: number): ServiceError {
  return new ServiceError('validation', `More than ${MAX_BLANK_LINES} blank lines end on line ${line}`)
}

function tooLong(line: number): ServiceError {
  return new ServiceError(
    'validation',
    `The record that begins on line ${line} is longer than ${MAX_RECORD_LENGTH / 1024} KiB; is a quote in it not closed?`,
  )
}

function quotedFields(record: string): string[] {
  const fields: string[] = []
  let field = ''
  let quoted = false
  for (let at = 0; at < record.length; at++) {
    const char = record[at]
    if (char === '"') {
      // Two quotes inside a quoted field are one quote character.
      if (quoted && record[at + 1] === '"') {
        field += '"'
        at++
      } else quoted = !quoted
    } else if (char === ',' && !quoted) {
      fields.push(field)
      field = ''
    } else field += char
  }
  fields.push(field)
  return fields
}
