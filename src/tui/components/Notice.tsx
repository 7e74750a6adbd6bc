import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { visible } from '../../views/table/cells.js'
import type { Live } from '../live/feed.js'
import { wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { useTone } from '../terminal/theme.js'

/** A sentence in place of the content: nothing is there, or it is not read yet. */
export function Notice({ text, width, height }: Area & { text: string }) {
  const lines = wrapped(visible(text), width).slice(0, height)
  return (
    <Box height={height}>
      <Text>{lines.join('\n')}</Text>
    </Box>
  )
}

interface ContentProps extends Area {
  live: Live<unknown>
  /** The words in place of content that is read, and has nothing to show. */
  empty?: string | undefined
  children: ReactNode
}

/** The content of a pane, or the reason why there is none: not read yet, not readable, or empty. */
export function Content({ live, empty, width, height, children }: ContentProps) {
  const tone = useTone()
  if (live.readAt > 0 && empty === undefined) return children
  const isFailed = live.readAt === 0 && live.problem !== undefined
  const text = live.readAt > 0 ? (empty ?? '') : (live.problem ?? 'Reading …')
  return (
    <Box flexDirection="column" height={height}>
      {wrapped(` ${visible(text)}`, width)
        .slice(0, height)
        .map((line) => (
          <Text key={line} {...tone(isFailed ? 'danger' : undefined)}>
            {line}
          </Text>
        ))}
    </Box>
  )
}
