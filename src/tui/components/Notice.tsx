import { Box, Text } from 'ink'
import { visible } from '../../views/table/cells.js'
import { wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'

/** A sentence in place of the content: nothing is there, or it is not read yet. */
export function Notice({ text, width, height }: Area & { text: string }) {
  const lines = wrapped(visible(text), width).slice(0, height)
  return (
    <Box height={height}>
      <Text>{lines.join('\n')}</Text>
    </Box>
  )
}
