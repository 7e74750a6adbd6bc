import { Box, Text } from 'ink'
import { Component, type ReactNode } from 'react'
import { messageOf } from '../../core/errors/index.js'
import { visible } from '../../views/table/cells.js'
import { wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'

interface Props extends Area {
  /** What the error takes away: a screen by default. */
  part?: 'screen' | 'tile'
  children: ReactNode
}

/** Shows an error of a part of the program in its place: the other parts, and the program, go on. */
export class FaultBoundary extends Component<Props, { problem?: string }> {
  static getDerivedStateFromError(thrown: unknown): { problem: string } {
    return { problem: messageOf(thrown) }
  }

  override state: { problem?: string } = {}

  override render(): ReactNode {
    const { children, height, part = 'screen', width } = this.props
    const { problem } = this.state
    if (problem === undefined) return children
    const texts = [
      `This ${part} met an error: ${visible(problem)}`,
      'Go to another screen by its number and come back, or quit with q.',
    ]
    const lines = texts.flatMap((text) => wrapped(text, width - 1)).slice(0, height)
    return (
      <Box flexDirection="column" height={height}>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike
          <Text key={index}> {line}</Text>
        ))}
      </Box>
    )
  }
}
