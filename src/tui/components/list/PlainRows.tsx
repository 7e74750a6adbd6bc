import { Box } from 'ink'
import { useContext } from 'react'
import stringWidth from 'string-width'
import type { Column } from '../../../views/table/column.js'
import { laidOut } from '../../../views/table/layout.js'
import { PaintedLine } from '../../terminal/PaintedLine.js'
import type { Area } from '../../terminal/size.js'
import { ThemeContext } from '../../terminal/theme.js'
import { cellPart } from './Table.js'
import type { RowId } from './use-list.js'

interface PlainRowsProps<Row extends { id: RowId }> extends Area {
  rows: readonly Row[]
  columns: readonly Column[]
  now: number
  isStale: boolean
}

/** The first rows of a list, without heading and cursor. The last line counts those that have no room. */
export function PlainRows<Row extends { id: RowId }>(props: PlainRowsProps<Row>) {
  const { rows, columns, width, height, now, isStale } = props
  const { utc } = useContext(ThemeContext)
  const isCut = rows.length > height && height > 1
  const shown = rows.slice(0, isCut ? height - 1 : Math.max(0, height))
  const style = { human: true, utc, zone: false, now }
  const laid = laidOut({ rows: shown, columns, style, width, headers: false }, stringWidth)
  return (
    <Box flexDirection="column">
      {shown.map((row, index) => (
        <PaintedLine
          key={row.id}
          parts={laid.map((column, at) => cellPart(row, column, index, at === laid.length - 1))}
          width={width}
          isDim={isStale}
        />
      ))}
      {isCut && (
        <PaintedLine parts={[{ text: `… ${rows.length - shown.length} more` }]} width={width} isDim />
      )}
    </Box>
  )
}
