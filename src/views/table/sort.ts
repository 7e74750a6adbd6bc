import { instantOf } from './cells.js'
import { type Column, cellOf, fieldNamed, fieldsOf } from './column.js'

/**
 * Returns the rows sorted by a column: numbers, times and expiries by value, texts by alphabet. A leading `-` before its
 * name reverses the order. Rows without a value come last. `fields` are the names that count as columns.
 * @returns undefined when there is no such column
 */
export function sortedBy<Row extends object>(
  rows: readonly Row[],
  columns: readonly Column[],
  sort: string,
  fields = fieldsOf(rows, columns),
): readonly Row[] | undefined {
  const [name, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1]
  const key = fieldNamed(name, columns, fields)
  if (key === undefined) return undefined
  const isTime = columns.some((column) => column.key === key && column.kind === 'time')
  const sortKey = (row: object) => (isTime ? instantOf(cellOf(row, key)) : cellOf(row, key))
  return [...rows].sort((a, b) => compare(sortKey(a), sortKey(b), sign))
}

/** Returns the rows by their expiry; those without one come first. */
export function byExpiry<Row extends { expiry: string | null }>(rows: readonly Row[]): Row[] {
  const at = ({ expiry }: Row) => expiryOf(expiry) ?? 0
  return rows.toSorted((a, b) => at(a) - at(b))
}

function compare(a: unknown, b: unknown, sign: number): number {
  const [aEmpty, bEmpty] = [isEmpty(a), isEmpty(b)]
  if (aEmpty || bEmpty) return Number(aEmpty) - Number(bEmpty)
  const [x, y] = [expiryOf(a) ?? Number(a), expiryOf(b) ?? Number(b)]
  const order = Number.isNaN(x) || Number.isNaN(y) ? String(a).localeCompare(String(b)) : x - y
  return order * sign
}

/** Parses an expiry, such as `23-NOV-26`; by alphabet it would come after `01-DEC-26`. */
function expiryOf(value: unknown): number | undefined {
  const [, day, month, year] = /^(\d{2})-([A-Z]{3})-(\d{2})$/.exec(String(value)) ?? []
  const instant = Date.parse(`${day} ${month} 20${year} UTC`)
  return Number.isNaN(instant) ? undefined : instant
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''
