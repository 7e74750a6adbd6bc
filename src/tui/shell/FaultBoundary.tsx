import { Box, Text } from 'ink'
import { Component, type ReactNode } from 'react'
import { messageOf } from '../../core/errors/index.js'
import { visible } from '../../views/table/cells.js'
import { wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'

interface Props extends Area {
  children: ReactNode
}

/** Shows an error of a part of the screen in its place: the other screens, and the program, go on. */
export class FaultBoundary extends Component<Props, { problem?: string }> {
  static getDerivedStateFromError(thrown: unknown): { problem: string } {
    return { problem: messageOf(thrown) }
  }

  override state: { problem?: string } = {}

  override render(): ReactNode {
    const { children, height, width } = this.props
    const { problem } = this.state
    if (problem === undefined) return children
    return (
      <Box flexDirection="column" height={height}>
        {wrapped(`This screen met an error: ${visible(problem)}`, width - 1).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two lines may be alike
          <Text key={index}> {line}</Text>
        ))}
        <Text> Go to another screen by its number and come back, or quit with q.</Text>
      </Box>
    )
  }
}
