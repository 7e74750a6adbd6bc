import type { ChalkInstance } from 'chalk'
import { toneOf } from '../../views/table/cells.js'
import { type Column, cellOf } from '../../views/table/column.js'
import { GAP, type LaidOutColumn, type LayoutOptions, laidOut } from '../../views/table/layout.js'
import { Below } from './below.js'

interface TableOptions extends LayoutOptions {
  paint: ChalkInstance
}

/**
 * Draws a table for people. When it is too wide for the terminal, it drops the columns that may leave, and
 * then cuts the longest text columns with `…`. A line never wraps, but texts that must be read whole go below their rows.
 */
export async function drawTable(options: TableOptions): Promise<string> {
  const [{ default: Table }, { default: stringWidth }] = await Promise.all([
    import('cli-table3'),
    import('string-width'),
  ])
  const below = Below.of(options, stringWidth)
  const kept = laidOut({ ...options, columns: below.columns }, stringWidth)
  const { headers, paint, rows, totals } = options
  const table = new Table({
    chars: BORDERLESS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
    colWidths: kept.map(({ width }) => width + GAP),
    colAligns: kept.map(({ right }) => (right ? 'right' : 'left')),
    ...(headers && { head: kept.map(({ heading }) => paint.bold(heading)) }),
  })
  const lines = totals === undefined ? rows : [...rows, totals]
  lines.forEach((row, index) => {
    const cells = (column: LaidOutColumn) =>
      below.has(column.column, row) ? '' : (column.cells[index] ?? '')
    table.push(kept.map((column) => painted(cells(column), row, column.column, paint)))
  })
  const first = headers ? 1 : 0
  const text = table
    .toString()
    .split('\n')
    .flatMap((line, index) => [line.trimEnd(), ...below.linesOf(rows[index - first])])
  return `${text.join('\n')}\n`
}

function painted(text: string, row: object, { key, kind = 'text' }: Column, paint: ChalkInstance): string {
  const tone = toneOf(cellOf(row, key), kind)
  return tone ? paint[tone](text) : text
}

const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
}
