import { Box, Text } from 'ink'
import { useContext } from 'react'
import stringWidth from 'string-width'
import { toneOf } from '../../../views/table/cells.js'
import { type Column, cellOf } from '../../../views/table/column.js'
import { GAP, type LaidOutColumn, laidOut } from '../../../views/table/layout.js'
import { useIsStale } from '../../live/use-daemon.js'
import { fitted } from '../../terminal/fit.js'
import { PaintedLine, type Part } from '../../terminal/PaintedLine.js'
import { ThemeContext, type Tone } from '../../terminal/theme.js'
import type { RowId } from './use-list.js'

export interface TableProps<Row extends { id: RowId }> {
  rows: readonly Row[]
  columns: readonly Column[]
  selected: RowId | undefined
  marked: ReadonlySet<RowId>
  width: number
  /** The lines of the table, its heading included. */
  height: number
  now: number
  /** Returns whether a row may be old, or says it for all: it is dimmed. All are while the connection is lost. */
  isStale?: boolean | ((row: Row) => boolean)
}

/** The tones of the colours that the lists of the command line use. */
const TONES = { green: 'good', red: 'danger', yellow: 'warning', cyan: 'accent' } as const satisfies Record<
  string,
  Tone
>
/** The width of the cursor, the mark and the scroll mark before each row. */
const GUTTER = 3

/** A table with a cursor and marks; an arrow at its first or last row says that the list goes on there. It mounts only the rows that fit, around the selected one. */
export function Table<Row extends { id: RowId }>(props: TableProps<Row>) {
  const { rows, columns, selected, marked, width, height, now } = props
  const isLost = useIsStale()
  const { isStale = false } = props
  const isDim = (row: Row) => isLost || (typeof isStale === 'function' ? isStale(row) : isStale)
  const { utc } = useContext(ThemeContext)
  const shown = windowOf(
    rows,
    rows.findIndex(({ id }) => id === selected),
    height - 1,
  )
  const above = shown[0] === undefined ? 0 : rows.indexOf(shown[0])
  const scrollMark = (index: number) => {
    if (index === 0 && above > 0) return '↑'
    return index === shown.length - 1 && above + shown.length < rows.length ? '↓' : ' '
  }
  const style = { human: true, utc, zone: false, now }
  const usual = columns.filter(({ wide }) => wide !== true)
  const laid = laidOut(
    { rows: shown, columns: usual, style, width: width - GUTTER, headers: true },
    stringWidth,
  )
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{' '.repeat(GUTTER) + line(laid, ({ heading }) => heading).trimEnd()}</Text>
      {shown.map((row, index) => (
        <PaintedLine
          key={row.id}
          parts={[
            gutter(row.id === selected, marked.has(row.id), scrollMark(index)),
            ...laid.map((column, at) => cellPart(row, column, index, at === laid.length - 1)),
          ]}
          width={width}
          isInverse={row.id === selected}
          isDim={isDim(row)}
        />
      ))}
    </Box>
  )
}

/** The cursor and the marks are characters, so that a terminal without colours shows them too. */
function gutter(isSelected: boolean, isMarked: boolean, scrollMark: string): Part {
  return { text: `${isSelected ? '>' : ' '}${isMarked ? '*' : ' '}${scrollMark}` }
}

/** Returns a cell of a row in its colour. */
export function cellPart(
  row: object,
  { cells, column, right, width }: LaidOutColumn,
  index: number,
  isLast: boolean,
): Part {
  const { key, kind = 'text' } = column
  const text = fitted(cells[index] ?? '', width, right ? 'right' : 'left')
  const colour = toneOf(cellOf(row, key), kind)
  return { text: isLast ? text : text + ' '.repeat(GAP), tone: colour && TONES[colour] }
}

function line(columns: readonly LaidOutColumn[], textOf: (column: LaidOutColumn) => string): string {
  const cells = columns.map((column) => fitted(textOf(column), column.width, column.right ? 'right' : 'left'))
  return cells.join(' '.repeat(GAP))
}

/** Returns the part of a list that fits, with the selected item in it. */
export function windowOf<T>(items: readonly T[], selected: number, height: number): readonly T[] {
  const first = Math.min(Math.max(0, selected - Math.floor(height / 2)), Math.max(0, items.length - height))
  return items.slice(first, first + Math.max(0, height))
}
