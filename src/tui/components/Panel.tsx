import { Box } from 'ink'
import type { ReactNode } from 'react'
import stringWidth from 'string-width'
import { visible } from '../../views/table/cells.js'
import { fitted, wrapped } from '../terminal/fit.js'
import { PaintedLine, type Part } from '../terminal/PaintedLine.js'
import type { Area } from '../terminal/size.js'
import type { Tone } from '../terminal/theme.js'

interface PanelProps extends Area {
  title: string
  /** How old the content is; empty while it is current. */
  stale?: string
  isSelected: boolean
  children(area: Area): ReactNode
}

const TITLE_LINES = 1
const RULE = '─'

/** A part of a screen under a line with its title. The cursor is a character, so that a terminal without colours shows it too. */
export function Panel({ title, stale = '', isSelected, width, height, children }: PanelProps) {
  const parts: readonly Part[] = [
    { text: isSelected ? '> ' : `${RULE} `, isDim: !isSelected },
    { text: visible(title), isBold: true, tone: isSelected ? 'accent' : undefined },
    { text: stale === '' ? ' ' : `  ${visible(stale)} `, tone: 'warning' },
  ]
  const used = parts.reduce((sum, { text }) => sum + stringWidth(text), 0)
  const rule = { text: RULE.repeat(Math.max(0, width - used)), isDim: true }
  return (
    <Box flexDirection="column" width={width} height={height}>
      <PaintedLine parts={[...parts, rule]} width={width} isInverse={isSelected} />
      {children({ width, height: height - TITLE_LINES })}
    </Box>
  )
}

/** A number with its name, or words, which take as many lines as they need. */
export type PanelLine = { tone?: Tone | undefined } & ({ label: string; value: string } | { text: string })

/** A number further away from its name is hard to read. */
const FARTHEST = 30

/** Returns the lines of a panel. A number is never cut: its name gives way. */
export function panelParts(lines: readonly PanelLine[], width: number): readonly (readonly Part[])[] {
  return lines.flatMap((line): readonly (readonly Part[])[] => {
    const { tone } = line
    if ('text' in line) return wrapped(visible(line.text), width).map((text) => [{ text, tone }])
    const value = visible(line.value)
    const room = Math.min(width, FARTHEST) - stringWidth(value) - 1
    return [
      [
        { text: `${fitted(line.label, Math.max(0, room))} `, isDim: true },
        { text: value, tone },
      ],
    ]
  })
}
