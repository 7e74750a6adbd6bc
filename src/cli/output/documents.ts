import { isObject } from '../../client/answers/json.js'
import { BYTE_ORDER_MARK, csvRecord, plainNumber } from '../../core/csv/index.js'
import { type CellStyle, cellText, dataValue, undeclaredValue, visible } from '../../views/table/cells.js'
import { type Column, cellOf } from '../../views/table/column.js'
import type { Format } from '../framework/globals.js'

/**
 * Returns a row for programs: all columns except those for people, in their order, as a number, a text, an
 * ISO time with its zone, or null. The fields that no column declares follow, with their times in the same form.
 * A document without columns is an answer of the API as it is.
 */
export function documentOf(row: object, columns: readonly Column[], style: CellStyle): object {
  if (columns.length === 0) return row
  const declared = columns
    .filter(({ human }) => human !== true)
    .map(({ key, kind = 'text' }) => [key, dataValue(cellOf(row, key), kind, style, cellOf(row, 'exchange'))])
  const known = new Set(columns.map(({ key }) => key))
  const others = Object.entries(row)
    .filter(([key]) => !known.has(key))
    .map(([key, value]) => [key, undeclaredValue(key, value, style)])
  return Object.fromEntries([...declared, ...others])
}

interface Written {
  /** The columns that a format with a heading shows for an empty list. */
  columns: readonly Column[]
  id: string
  isTty: boolean
  headers: boolean
  /** Whether CSV begins with a byte order mark, which a terminal does not need. */
  bom: boolean
}

type Printer<T> = (data: T, written: Written) => string | Promise<string>

const yaml = async (data: unknown) => (await import('yaml')).stringify(data, plain)
const idOf = (row: object, { id }: Written) => `${visible(String(cellOf(row, id) ?? ''))}\n`

/** Documents of a list. */
export const LISTS: Readonly<Record<Format, Printer<readonly object[]>>> = {
  json: (rows) => `${safeJson(rows, 2)}\n`,
  jsonl: (rows) => rows.map((row) => `${safeJson(row)}\n`).join(''),
  yaml,
  csv: (rows, written) => csv(rows, written),
  tsv: (rows, written) => tsv(rows, written),
  name: (rows, written) => rows.map((row) => idOf(row, written)).join(''),
}

/** Documents of one record. */
export const RECORDS: Readonly<Record<Format, Printer<object>>> = {
  json: (row) => `${safeJson(row, 2)}\n`,
  jsonl: (row) => `${safeJson(row)}\n`,
  yaml,
  csv: (row, written) => csv([row], written),
  tsv: (row, written) => tsv([row], written),
  name: idOf,
}

/** Replaces a number by the same one without the noise of float sums. */
function plain(_key: unknown, value: unknown): unknown {
  return typeof value === 'number' ? plainNumber(value) : value
}

/** Returns JSON without raw control characters, on which a terminal would act. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, plain, indent).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Returns the names of all fields: those of the columns, then those that only rows have. */
function keysOf(rows: readonly object[], columns: readonly Column[]): string[] {
  const declared = columns.filter(({ human }) => human !== true).map(({ key }) => key)
  return [...new Set([...declared, ...rows.flatMap((row) => Object.keys(row))])]
}

/** Returns comma-separated values: exact for a file or a pipe, escaped on a terminal. */
function csv(rows: readonly object[], { columns, isTty, headers, bom }: Written): string {
  const keys = keysOf(rows, columns)
  const records = [...(headers ? [keys] : []), ...rows.map((row) => keys.map((key) => cellOf(row, key)))]
  if (keys.length === 0) return ''
  const text = records.map((cells) => csvRecord(isTty ? cells.map(shown) : cells)).join('')
  return bom && !isTty ? BYTE_ORDER_MARK + text : text
}

function shown(cell: unknown): unknown {
  if (typeof cell === 'string') return visible(cell)
  return isObject(cell) || Array.isArray(cell) ? safeJson(cell) : cell
}

/** Returns tab-separated values. Tabs and line breaks in values are escaped, so that a row is one line. */
function tsv(rows: readonly object[], { columns, headers }: Written): string {
  const keys = keysOf(rows, columns)
  const plain: CellStyle = { human: false, utc: false, now: 0 }
  const lines = rows.map((row) => keys.map((key) => cellText(cellOf(row, key), 'text', plain)))
  return [...(headers ? [keys] : []), ...lines].map((cells) => `${cells.join('\t')}\n`).join('')
}
