import { Box } from 'ink'
import { useMemo, useState } from 'react'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { wrapped } from '../terminal/fit.js'
import { PaintedLine } from '../terminal/PaintedLine.js'
import type { Area } from '../terminal/size.js'
import type { Tone } from '../terminal/theme.js'
import { scrollOf } from './Fields.js'

/** A line of a text, without control characters. */
export interface TextLine {
  text: string
  tone?: Tone | undefined
}

interface ScrolledTextProps extends Area {
  lines: readonly TextLine[]
  /** True for a text that grows: at its end it shows the new lines. */
  isGrowing?: boolean
  isStale?: boolean
}

/** A text of any length: a long line takes several. The arrows scroll. */
export function ScrolledText({
  lines,
  width,
  height,
  isGrowing = false,
  isStale = false,
}: ScrolledTextProps) {
  const parts = useMemo(() => lines.flatMap((line, at) => wrappedLine(line, at, width)), [lines, width])
  const last = Math.max(0, parts.length - height)
  const [top, setTop] = useState<number>()
  const first = Math.min(top ?? (isGrowing ? last : 0), last)
  useKeyLayer('screen', ({ name }) => {
    const by = scrollOf(name, height)
    const next = Math.min(Math.max(0, first + by), last)
    if (by !== 0) setTop(isGrowing && next === last ? undefined : next)
    return by !== 0
  })
  return (
    <Box flexDirection="column" height={height}>
      {parts.slice(first, first + height).map(({ key, text, tone }) => (
        <PaintedLine key={key} parts={[{ text, tone }]} width={width} isDim={isStale} />
      ))}
    </Box>
  )
}

function wrappedLine({ text, tone }: TextLine, at: number, width: number) {
  return wrapped(text, width).map((part, index) => ({ key: `${at} ${index}`, text: part, tone }))
}
