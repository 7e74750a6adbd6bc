import { type CellStyle, cellText, type Kind } from './cells.js'
import { type Column, cellOf, titleOf } from './column.js'

const RIGHT: ReadonlySet<Kind> = new Set([
  'money',
  'price',
  'signed',
  'change',
  'quantity',
  'limit',
  'decimals',
])

export const GAP = 2

/** A text column is never cut shorter than this. */
const SHORTEST = 8

export interface LayoutOptions {
  rows: readonly object[]
  columns: readonly Column[]
  totals?: object | undefined
  style: CellStyle
  /** The width of the terminal; undefined draws every column in full. */
  width: number | undefined
  headers: boolean
}

/** A column with its heading and all its cells as text, without colour. */
interface Drawn {
  column: Column
  heading: string
  cells: string[]
  natural: number
}

/** A column that fits the terminal, with the width it gets there. */
export interface LaidOutColumn {
  column: Column
  heading: string
  /** The text of each row, in full and without colour. */
  cells: readonly string[]
  width: number
  /** True for numbers, which are aligned at the right. */
  right: boolean
}

/** Returns the columns of a table that fit its width. A cell may be longer than its column. */
export function laidOut(options: LayoutOptions, widthOf: (text: string) => number): readonly LaidOutColumn[] {
  const drawn = options.columns.map((column) => measured(column, options, widthOf))
  const kept = options.width === undefined ? drawn : fittingColumns(drawn, options.width)
  const widths = widthsOf(kept, options.width)
  return kept.map(({ column, heading, cells }, index) => ({
    column,
    heading,
    cells,
    width: widths[index] ?? 0,
    right: isRight(column),
  }))
}

const isRight = ({ kind = 'text' }: Column) => RIGHT.has(kind)

function measured(
  column: Column,
  { rows, totals, style, headers }: LayoutOptions,
  widthOf: (text: string) => number,
): Drawn {
  const { key, kind = 'text', none = [] } = column
  const texts = rows.map((row) => {
    const value = cellOf(row, key)
    const isNone = none.some((one) => one === value)
    return cellText(isNone ? null : value, kind, style, cellOf(row, 'exchange'))
  })
  const sum = totals === undefined ? [] : [sumText(totals, column, style)]
  const cells = isRight(column) ? aligned([...texts, ...sum]) : [...texts, ...sum]
  const heading = kind === 'time' ? `${titleOf(column)} ${style.utc ? 'UTC' : 'IST'}` : titleOf(column)
  const natural = cells.reduce((most, text) => Math.max(most, widthOf(text)), headers ? widthOf(heading) : 0)
  return { column, heading, cells, natural }
}

/** Returns a cell of the totals line. A column without a total stays empty. */
function sumText(totals: object, { key, kind = 'text' }: Column, style: CellStyle): string {
  const value = cellOf(totals, key)
  return value === undefined ? '' : cellText(value, kind, style)
}

/** Pads numbers at their end, so that the decimal points of a column are aligned. */
function aligned(cells: readonly string[]): string[] {
  const fraction = (text: string) => (/\d/.test(text) ? (/\.(\d+)$/.exec(text)?.[0].length ?? 0) : 0)
  const longest = Math.max(0, ...cells.map(fraction))
  return cells.map((text) => (/\d$/.test(text) ? text + ' '.repeat(longest - fraction(text)) : text))
}

/** Returns the columns that fit. It drops them by rank while the table is too wide. */
function fittingColumns(drawn: readonly Drawn[], width: number): readonly Drawn[] {
  const kept = [...drawn]
  while (fullWidth(kept) > width) {
    const first = Math.max(...kept.map(({ column }) => column.leaves ?? 0))
    if (first === 0) break
    kept.splice(
      kept.findLastIndex(({ column }) => column.leaves === first),
      1,
    )
  }
  return kept
}

/** Returns the width of the table with every cell in full. */
function fullWidth(drawn: readonly Drawn[]): number {
  return drawn.reduce((sum, { natural }) => sum + natural + GAP, -GAP)
}

/** Returns the widths of the columns: the natural ones, or shorter ones for the longest texts. */
function widthsOf(drawn: readonly Drawn[], width: number | undefined): number[] {
  const widths = drawn.map(({ natural }) => natural)
  if (width === undefined) return widths
  let excess = fullWidth(drawn) - width
  while (excess > 0) {
    const cut = longestText(drawn, widths)
    if (cut === undefined) break
    widths[cut] = (widths[cut] ?? 0) - 1
    excess -= 1
  }
  return widths
}

function longestText(drawn: readonly Drawn[], widths: readonly number[]): number | undefined {
  let longest: number | undefined
  for (const [index, { column }] of drawn.entries()) {
    const width = widths[index] ?? 0
    if (isRight(column) || column.kind === 'time' || width <= SHORTEST) continue
    if (longest === undefined || width > (widths[longest] ?? 0)) longest = index
  }
  return longest
}
