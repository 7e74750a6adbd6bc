import { Box } from 'ink'
import { useContext, useState } from 'react'
import { cellText, visible } from '../../views/table/cells.js'
import { type Column, cellOf, titleOf } from '../../views/table/column.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { useIsStale } from '../live/use-daemon.js'
import { wrapped } from '../terminal/fit.js'
import { PaintedLine } from '../terminal/PaintedLine.js'
import { ThemeContext } from '../terminal/theme.js'
import { useIsInPane } from './SidePane.js'

interface FieldsProps {
  record: object
  fields: readonly Column[]
  width: number
  height: number
  now: number
}

/** All fields of one record, each in full: a long value takes several lines. The arrows scroll, unless a list has them. */
export function Fields({ record, fields, width, height, now }: FieldsProps) {
  const { utc } = useContext(ThemeContext)
  const isStale = useIsStale()
  const isInPane = useIsInPane()
  const lines = fieldLines(record, fields, width, { utc, now })
  const last = Math.max(0, lines.length - height)
  const [top, setTop] = useState(0)
  const first = Math.min(top, last)
  useKeyLayer('screen', ({ name }) => {
    const by = isInPane ? 0 : scrollOf(name, height)
    if (by !== 0) setTop(Math.min(Math.max(0, first + by), last))
    return by !== 0
  })
  return (
    <Box flexDirection="column" height={height}>
      {lines.slice(first, first + height).map(({ key, label, text }) => (
        <PaintedLine
          key={key}
          parts={[{ text: label, isDim: true }, { text }]}
          width={width}
          isDim={isStale}
        />
      ))}
    </Box>
  )
}

/** Returns the number of lines that a key scrolls by. */
export function scrollOf(key: string, height: number): number {
  return SCROLLS.get(key)?.(height) ?? 0
}

const SCROLLS = new Map<string, (height: number) => number>([
  ['up', () => -1],
  ['k', () => -1],
  ['down', () => 1],
  ['j', () => 1],
  ['pgup', (height) => -height],
  ['pgdn', (height) => height],
  ['home', () => Number.NEGATIVE_INFINITY],
  ['g', () => Number.NEGATIVE_INFINITY],
  ['end', () => Number.POSITIVE_INFINITY],
  ['G', () => Number.POSITIVE_INFINITY],
])

interface FieldLine {
  key: string
  label: string
  text: string
}

/** Returns the lines of a record; an object is pretty JSON. A field without a value is left out. */
export function fieldLines(
  record: object,
  fields: readonly Column[],
  width: number,
  { utc, now }: { utc: boolean; now: number },
): readonly FieldLine[] {
  const given = fields.filter(
    ({ key }) => ![undefined, null, ''].some((none) => none === cellOf(record, key)),
  )
  const longest = Math.max(0, ...given.map((field) => titleOf(field).length))
  return given.flatMap((field) => {
    const value = cellOf(record, field.key)
    const style = { human: true, utc, zone: true, now }
    const texts =
      typeof value === 'object' && value !== null
        ? JSON.stringify(value, undefined, 2).split('\n').map(visible)
        : [cellText(value, field.kind ?? 'text', style, cellOf(record, 'exchange'))]
    const lines = texts.flatMap((text) => wrapped(text, Math.max(8, width - longest - 2)))
    return lines.map((text, index) => ({
      key: `${field.key} ${index}`,
      label: (index === 0 ? titleOf(field) : '').padEnd(longest + 2),
      text,
    }))
  })
}

/** Returns lines of text as fields, of which only the first has the title. */
export function linesAsFields(
  key: string,
  title: string,
  lines: readonly string[],
): { record: Readonly<Record<string, string>>; fields: readonly Column[] } {
  const keys = lines.map((_, index) => `${key}${index}`)
  return {
    record: Object.fromEntries(keys.map((name, index) => [name, lines[index] ?? ''])),
    fields: keys.map((name, index) => ({ key: name, title: index === 0 ? title : '' })),
  }
}
