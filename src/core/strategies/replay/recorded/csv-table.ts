import { type CsvRecord, csvRecords } from '../../../csv/index.js'
import { ServiceError } from '../../../errors/index.js'
import { IST_OFFSET_MS, isDate } from '../../../time/index.js'

/** A file with its text. The name is for messages. */
export interface ReplayFile {
  name: string
  text: string
}

const SHOWN = 40
const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i
const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/
/** From 1973 to 2286 in seconds. */
const EPOCH_SECONDS = /^[1-9]\d{8,9}$/
const DECIMAL = /^\d{1,12}(\.\d+)?$/

/** One record of a file, read by the names of its columns. Every fault names file, line and column. */
export class CsvRow {
  constructor(
    readonly file: string,
    readonly record: CsvRecord,
    private readonly columns: ReadonlyMap<string, number>,
  ) {}

  get line(): number {
    return this.record.line
  }

  /** Returns a cell without the spaces around it; empty if the file or the record lacks it. */
  text(column: string): string {
    return this.record.fields[this.columns.get(column) ?? -1]?.trim() ?? ''
  }

  /** Returns an instant: ISO 8601, with a zone or else in Indian time, or seconds since 1970. */
  time(column: string): number {
    const text = this.text(column)
    const at = instantOf(text)
    if (at !== undefined) return at
    throw this.fault(column, 'must be a time such as 2026-11-20 09:15 (Indian time) or 2026-11-20T03:45:00Z')
  }

  /** Returns a price above zero. */
  price(column: string): number {
    const text = this.text(column)
    const price = DECIMAL.test(text) ? Number(text) : 0
    if (price > 0) return price
    throw this.fault(column, 'must be a price above 0')
  }

  fault(column: string, rule: string): ServiceError {
    const text = this.text(column)
    const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
    const was = text === '' ? 'is missing' : `was "${shown}"`
    return new ServiceError('validation', `${this.file}:${this.line}: column ${column} ${rule}; it ${was}`)
  }
}

/**
 * Reads the rows of a CSV file with a heading. A heading may use any name of a column.
 * @param names the accepted names of each column, the first one is what messages say
 * @throws ServiceError `validation` for a heading without a required column
 */
export function* csvRows(
  { name, text }: ReplayFile,
  names: Readonly<Record<string, readonly string[]>>,
  required: readonly string[],
): Generator<CsvRow> {
  let columns: Map<string, number> | undefined
  for (const record of csvRecords(text)) {
    if (columns === undefined) columns = columnsOf(name, record, names, required)
    else if (record.fields.some((cell) => cell.trim() !== '')) yield new CsvRow(name, record, columns)
  }
  if (columns === undefined) throw new ServiceError('validation', `${name} is empty`)
}

function columnsOf(
  file: string,
  { fields, line }: CsvRecord,
  names: Readonly<Record<string, readonly string[]>>,
  required: readonly string[],
): Map<string, number> {
  const heading = fields.map((field) => field.trim().toLowerCase())
  const columns = new Map<string, number>()
  for (const [column, accepted] of Object.entries(names)) {
    const found = heading.flatMap((name, index) => (accepted.includes(name) ? [index] : []))
    const [first, second] = found
    if (second !== undefined) {
      throw new ServiceError('validation', `${file}:${line}: the heading names the column ${column} twice`)
    }
    if (first !== undefined) columns.set(column, first)
  }
  const missing = required.filter((column) => !columns.has(column))
  if (missing.length === 0) return columns
  throw new ServiceError('validation', `${file}:${line}: the heading lacks ${missing.join(', ')}`)
}

function instantOf(text: string): number | undefined {
  if (EPOCH_SECONDS.test(text)) return Number(text) * 1000
  // `Date` would read 30 February as 2 March.
  if (!isDate(text.slice(0, 10))) return undefined
  const iso = text.replace(' ', 'T')
  const at = ZONED.test(text)
    ? Date.parse(iso)
    : LOCAL.test(text)
      ? Date.parse(`${iso}Z`) - IST_OFFSET_MS
      : Number.NaN
  return Number.isFinite(at) && at > 0 ? at : undefined
}
