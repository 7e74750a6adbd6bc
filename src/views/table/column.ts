import type { KeyOf } from '../../client/answers/json.js'
import { isInstantIn, type Kind } from './cells.js'

/** One field of a row: its name in documents, and how a table shows it. */
export interface Column<Key extends string = string> {
  /** The name in JSON, YAML, CSV and TSV, and for `--columns` and `--sort`. */
  key: Key
  /** The heading for people; the key in capitals by default. */
  title?: string
  kind?: Kind
  /**
   * The rank in which columns leave a narrow terminal, the highest first. Without a rank the column stays.
   */
  leaves?: number
  /** True for a column that tables show with `-o wide` only. */
  wide?: boolean
  /** Values that mean none, which tables show as `-`. */
  none?: readonly string[]
  /**
   * Its texts go below their rows, in full, when the terminal is too narrow for the whole table: all of them, or those of
   * the rows whose field has one of these values.
   */
  below?: true | Readonly<Record<string, readonly string[]>>
  /** True for a column for people: tables show it, documents do not. */
  human?: boolean
}

/** Rows to show as a table, a list of ids or a document. */
export interface ListView<Row extends object = object> {
  rows: readonly Row[]
  columns: readonly Column<KeyOf<Row>>[]
  /** The field `-q` prints. */
  id: KeyOf<Row>
  /** The message on a terminal when there are no rows. */
  empty: string
  /** The values of the last line of a table, for example sums, by the key of the column. */
  totals?: object
  /** The name of its record in `svc schema`. A row may lack fields of the record, and `--columns` still takes them. */
  record?: string
}

/** One object, shown field by field. */
export interface RecordView<Record extends object = object> {
  record: Record
  fields: readonly Column<KeyOf<Record>>[]
  /** The field `-q` prints. */
  id: KeyOf<Record>
}

/** A list with rows of any type, as the printing code uses it. */
export interface AnyList {
  rows: readonly object[]
  columns: readonly Column[]
  id: string
  empty: string
  totals?: object
  record?: string
}

export interface AnyRecord {
  record: object
  fields: readonly Column[]
  id: string
}

export const cellOf = (row: object, key: string): unknown => Reflect.get(row, key)

/** Returns the names of all fields: those of the columns, then those that only rows have. */
export function fieldsOf(rows: readonly object[], columns: readonly Column[]): ReadonlySet<string> {
  return new Set([...columns.map(({ key }) => key), ...rows.flatMap((row) => Object.keys(row))])
}

/** Returns the column of a field that no column declares: of instants, one of times. */
export function undeclared(key: string, rows: readonly object[] = []): Column {
  return rows.some((row) => isInstantIn(key, cellOf(row, key))) ? { key, kind: 'time' } : { key }
}

/** Returns the field that a user names by its name or its printed heading, in any case; undefined for no field. */
export function fieldNamed(
  name: string,
  columns: readonly Column[],
  fields: ReadonlySet<string>,
): string | undefined {
  if (fields.has(name)) return name
  const sought = name.toLowerCase()
  const titled = columns.find((column) => titleOf(column).toLowerCase() === sought)?.key
  return [...fields].find((field) => field.toLowerCase() === sought) ?? titled
}

/** Returns the heading of a column for people. */
export function titleOf(column: Column): string {
  return column.title ?? column.key.replaceAll('_', ' ').toUpperCase()
}
