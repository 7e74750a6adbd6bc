import { csvRecords } from '../../csv/index.js'
import { ServiceError } from '../../errors/index.js'
import type { Pace } from '../../time/index.js'
import { quantityProblem, symbolProblem } from './rules.js'

/** The largest number of rows. The list of an exchange has a few hundred. */
const MAX_ROWS = 5_000
/** The characters of a field that take as long as an empty field. */
const CHARACTERS_A_FIELD = 32
/** The number of unusable rows that a refusal lists; the rest are only counted. */
const MAX_LISTED = 100
/** The number of characters of a cell that a refusal repeats. */
const MAX_SHOWN = 50

/** A row of the file. */
export interface FileRow {
  line: number
  symbol: string
  freezeQuantity: number
}

interface Problem {
  line: number
  symbol: string
  reason: string
}

interface Columns {
  symbol: number
  quantity: number
}

/**
 * Parses the exchanges' own file of freeze quantities: a line of names, then one underlying per line. The
 * column `SYMBOL` and the one column whose name contains `FRZ` count, the others are ignored.
 * The fields that were read count as work of `pace`.
 * @throws ServiceError `validation` when a column is missing, when there is no row, and when any row is
 * unusable; the member `results` of its answer then lists these rows by line
 */
export async function parseFreezeFile(text: string, pace: Pace): Promise<FileRow[]> {
  const records = csvRecords(text)
  const columns = columnsOf(records.next().value?.fields ?? [])
  const rows: FileRow[] = []
  const problems: Problem[] = []
  const lines = new Map<string, number>()
  let count = 0
  for (const { line, fields } of records) {
    await pace.spend(fields.reduce((sum, field) => sum + 1 + field.length / CHARACTERS_A_FIELD, 0))
    if (fields.every((field) => field.trim() === '')) continue
    if (++count > MAX_ROWS) throw refused(`The file has more than ${MAX_ROWS} rows.`)
    const symbol = (fields[columns.symbol] ?? '').trim().toUpperCase()
    const quantity = (fields[columns.quantity] ?? '').trim()
    const reason = problemOf(symbol, quantity, lines.get(symbol))
    if (reason !== undefined) problems.push({ line, symbol: symbol.slice(0, MAX_SHOWN), reason })
    else {
      lines.set(symbol, line)
      rows.push({ line, symbol, freezeQuantity: Number(quantity) })
    }
  }
  if (problems.length > 0) throw unusable(problems, count)
  if (rows.length === 0) throw refused('The file has no row: nothing was changed.')
  return rows
}

function columnsOf(header: readonly string[]): Columns {
  const names = header.map((name) => name.trim().toUpperCase())
  const symbols = positions(names, (name) => name === 'SYMBOL')
  const quantities = positions(names, (name) => name.includes('FRZ'))
  return {
    symbol: theOnly(symbols, 'SYMBOL', 'SYMBOL'),
    quantity: theOnly(quantities, 'VOL_FRZ_QTY', 'FRZ'),
  }
}

function positions(names: readonly string[], matches: (name: string) => boolean): number[] {
  return names.flatMap((name, index) => (matches(name) ? [index] : []))
}

function theOnly([first, ...more]: readonly number[], name: string, part: string): number {
  if (first === undefined) throw refused(`The first line has no column ${name}.`)
  if (more.length > 0) throw refused(`The first line has more than one column with ${part} in its name.`)
  return first
}

/** Returns why a row is unusable. `earlier` is the line that has the same symbol already. */
function problemOf(symbol: string, quantity: string, earlier: number | undefined): string | undefined {
  if (earlier !== undefined) return `${symbol} is on line ${earlier} already.`
  const wrongSymbol = symbolProblem(symbol)
  if (wrongSymbol !== undefined) return `SYMBOL: ${wrongSymbol}`
  const wrongQuantity = /^\d{1,15}$/.test(quantity) ? quantityProblem(Number(quantity)) : quantityProblem(0)
  return wrongQuantity && `Quantity "${quantity.slice(0, MAX_SHOWN)}": ${wrongQuantity}`
}

function unusable(problems: readonly Problem[], count: number): ServiceError {
  const [first] = problems
  const message = `${problems.length} of ${count} rows cannot be used; nothing was changed. Line ${first?.line}: ${first?.reason}`
  return new ServiceError('validation', message, {
    errors: { csv_file: [message] },
    extra: { results: problems.slice(0, MAX_LISTED) },
  })
}

function refused(text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { csv_file: [text] } })
}
