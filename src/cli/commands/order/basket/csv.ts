import { csvRecords } from '../../../../core/csv/index.js'
import { ServiceError } from '../../../../core/errors/index.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { convert, type FieldSpec, INSTRUCTION_FIELDS, ORDER_FIELDS, type OrderDraft } from '../fields.js'

/** The whole basket has these, not one of its orders. */
const OF_BASKET: ReadonlySet<string> = new Set(['strategy', 'client_order_id'])
const COLUMNS: ReadonlyMap<string, FieldSpec> = new Map(
  [...ORDER_FIELDS, ...INSTRUCTION_FIELDS]
    .filter(({ field }) => !OF_BASKET.has(field))
    .map((spec) => [spec.field, spec]),
)
const REQUIRED = ['symbol', 'exchange', 'action', 'quantity']

/** Returns whether a text that is no JSON and no YAML of a request begins with the header of orders. */
export function isOrdersCsv(text: string): boolean {
  return /^\uFEFF?[^\r\n]*\bsymbol\b[^\r\n]*,|^\uFEFF?[^\r\n]*,[^\r\n]*\bsymbol\b/.test(text)
}

/**
 * Returns the orders of a CSV text, whose header has the names of the API's fields. An empty cell leaves its field out.
 * @throws CliError of usage that names the column, or the line of a row: a row that is read wrongly would be another order
 */
export function ordersOfCsv(text: string, file: string): readonly OrderDraft[] {
  try {
    const [header, ...rows] = csvRecords(text)
    const columns = columnsOf(header?.fields ?? [], file)
    return rows.map(({ fields, line }) => orderOf(columns, fields, `${file} line ${line}`))
  } catch (thrown) {
    throw thrown instanceof ServiceError ? usageError(`${file}: ${thrown.message}.`) : thrown
  }
}

function columnsOf(names: readonly string[], file: string): readonly FieldSpec[] {
  const known = names.map((name) => name.trim().toLowerCase())
  const columns = known.map((name) => {
    const column = COLUMNS.get(name)
    if (column) return column
    throw usageError(
      `${file}: the column "${name}" is not a field of an order.`,
      `Columns: ${[...COLUMNS.keys()].join(', ')}`,
    )
  })
  const doubled = known.find((name, place) => known.indexOf(name) !== place)
  if (doubled !== undefined) throw usageError(`${file} has the column ${doubled} twice.`)
  const missing = REQUIRED.filter((name) => !known.includes(name))
  if (missing.length > 0) throw usageError(`${file} has no column ${missing.join(', no ')}.`)
  return columns
}

function orderOf(columns: readonly FieldSpec[], cells: readonly string[], where: string): OrderDraft {
  if (cells.length !== columns.length) {
    throw usageError(`${where} has ${cells.length} cells, and the header has ${columns.length}.`)
  }
  return Object.fromEntries(
    columns.flatMap((column, place): [string, string | number | boolean][] => {
      const cell = (cells[place] ?? '').trim()
      return cell === '' ? [] : [[column.field, cellValue(column, cell, where)]]
    }),
  )
}

function cellValue(column: FieldSpec, cell: string, where: string): string | number | boolean {
  // A quote that is not closed would take the rows below into its cell.
  if (/[\r\n]/.test(cell))
    throw usageError(`${where}: ${column.field} has a line break. Is a quote not closed?`)
  if (column.isFlag) return flagOf(column, cell, where)
  try {
    return convert(cell, column)
  } catch (thrown) {
    throw thrown instanceof CliError ? usageError(`${where}: ${thrown.message}`) : thrown
  }
}

function flagOf({ field }: FieldSpec, cell: string, where: string): boolean {
  const word = cell.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  throw usageError(`${where}: ${field} must be true or false.`)
}
