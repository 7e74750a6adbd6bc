import chalk from 'chalk'
import { Transform } from 'ink'
import { useContext } from 'react'
import stringWidth from 'string-width'
import type { HeaderColour } from '../../client/daemon-access.js'
import { visible } from '../../views/table/cells.js'
import { cut } from './fit.js'
import { THEMES, type Theme, ThemeContext, type Tone } from './theme.js'

/** A part of a line, in its own style. */
export interface Part {
  /** Control characters in it are shown, and do nothing: it may come from an order of a stranger. */
  text: string
  tone?: Tone | undefined
  /** A colour that the user has chosen, instead of a tone. */
  colour?: HeaderColour | undefined
  isBold?: boolean
  isDim?: boolean
  isInverse?: boolean
}

interface PaintedLineProps {
  parts: readonly Part[]
  /** The cells of the line. What does not fit is cut. */
  width: number
  isDim?: boolean
  isInverse?: boolean
}

/**
 * A line whose text changes all the time: prices, ages, charts. Ink remembers every text that it has ever measured, until
 * the program ends. So it measures a blank line here, which is always the same, and the text is painted over it.
 */
export function PaintedLine({ parts, width, isDim = false, isInverse = false }: PaintedLineProps) {
  const theme = useContext(ThemeContext)
  const fit = fitting(parts.map(harmless), width)
  const used = fit.reduce((sum, part) => sum + widthOf(part.text), 0)
  // An inverse line is a bar: it goes on to the end.
  const rest = ' '.repeat(isInverse ? Math.max(0, width - used) : 0)
  const line = fit.map((part) => styled(part, theme)).join('') + rest
  const text = styled({ text: line, isDim, isInverse }, theme)
  return (
    <Transform transform={(_, row) => (row === 0 ? text : '')}>{' '.repeat(Math.max(1, width))}</Transform>
  )
}

function styled({ text, tone, colour, isBold, isDim, isInverse }: Part, { colours, name }: Theme): string {
  let shown = isDim ? chalk.dim(text) : text
  if (colours && tone !== undefined) shown = chalk[THEMES[name][tone]](shown)
  if (colours && colour !== undefined) shown = chalk[colour](shown)
  if (isBold) shown = chalk.bold(shown)
  return isInverse ? chalk.inverse(shown) : shown
}

/** Returns the parts that have room; the last of them is cut. */
function fitting(parts: readonly Part[], width: number): readonly Part[] {
  const fit: Part[] = []
  let room = width
  for (const part of parts) {
    const size = widthOf(part.text)
    if (size > room) return room > 0 ? [...fit, { ...part, text: cut(part.text, room) }] : fit
    room -= size
    fit.push(part)
  }
  return fit
}

/** Returns a part whose text the terminal only shows: a sequence in it could move the cursor, or write over the mode. */
const harmless = (part: Part): Part => (ASCII.test(part.text) ? part : { ...part, text: visible(part.text) })

const ASCII = /^[\x20-\x7e]*$/

/** Most texts are plain, and the width of others takes a while to find. */
const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text))
