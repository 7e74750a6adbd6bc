import type { ChalkInstance } from 'chalk'
import { toneOf } from '../../views/table/cells.js'
import { type Column, cellOf } from '../../views/table/column.js'
import { GAP, type LayoutOptions, laidOut } from '../../views/table/layout.js'

interface TableOptions extends LayoutOptions {
  paint: ChalkInstance
}

/**
 * Draws a table for people. When it is too wide for the terminal, it drops the columns that may leave, and
 * then cuts the longest text columns with `…`. A line never wraps.
 */
export async function drawTable(options: TableOptions): Promise<string> {
  const [{ default: Table }, { default: stringWidth }] = await Promise.all([
    import('cli-table3'),
    import('string-width'),
  ])
  const kept = laidOut(options, stringWidth)
  const { paint, rows, totals } = options
  const table = new Table({
    chars: BORDERLESS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
    colWidths: kept.map(({ width }) => width + GAP),
    colAligns: kept.map(({ right }) => (right ? 'right' : 'left')),
    ...(options.headers && { head: kept.map(({ heading }) => paint.bold(heading)) }),
  })
  const lines = totals === undefined ? rows : [...rows, totals]
  lines.forEach((row, index) => {
    table.push(kept.map(({ column, cells }) => painted(cells[index] ?? '', row, column, paint)))
  })
  const text = table.toString().split('\n')
  return `${text.map((line) => line.trimEnd()).join('\n')}\n`
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
