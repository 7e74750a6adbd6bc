import { Box, Text } from 'ink'
import { useContext } from 'react'
import { cellText, visible } from '../../cli/output/cells.js'
import { type Column, cellOf, titleOf } from '../../cli/output/column.js'
import { wrapped } from '../screen/fit.js'
import { ThemeContext } from '../screen/theme.js'

interface FieldsProps {
  record: object
  fields: readonly Column[]
  width: number
  height: number
  /** The number of lines to skip. */
  scroll: number
  now: number
}

/** All fields of one record, each in full: a long value takes several lines. */
export function Fields({ record, fields, width, height, scroll, now }: FieldsProps) {
  const { utc } = useContext(ThemeContext)
  const lines = fieldLines(record, fields, width, { utc, now })
  const first = Math.min(scroll, Math.max(0, lines.length - height))
  return (
    <Box flexDirection="column" height={height}>
      {lines.slice(first, first + height).map(({ key, label, text }) => (
        <Text key={key}>
          <Text dimColor>{label}</Text>
          {text}
        </Text>
      ))}
    </Box>
  )
}

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
        : [cellText(value, field.kind ?? 'text', style)]
    const lines = texts.flatMap((text) => wrapped(text, Math.max(8, width - longest - 2)))
    return lines.map((text, index) => ({
      key: `${field.key} ${index}`,
      label: (index === 0 ? titleOf(field) : '').padEnd(longest + 2),
      text,
    }))
  })
}
