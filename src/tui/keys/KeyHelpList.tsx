import { Box, Text } from 'ink'
import { useState } from 'react'
import { scrollOf } from '../components/Fields.js'
import { cut } from '../screen/fit.js'
import type { KeyHelp } from './KeyLine.js'
import { useKeyLayer } from './KeysProvider.js'

interface KeyHelpListProps {
  keys: readonly KeyHelp[]
  width: number
  height: number
  onClose(): void
}

/** All keys with what they do and the command that does the same, one on a line. Keys that do not scroll close it. */
export function KeyHelpList({ keys, width, height, onClose }: KeyHelpListProps) {
  const [wanted, setWanted] = useState(0)
  const last = Math.max(0, keys.length - height)
  const first = Math.min(wanted, last)
  useKeyLayer('overlay', ({ name }) => {
    const by = last === 0 ? 0 : scrollOf(name, height)
    if (by === 0) onClose()
    else setWanted(Math.min(Math.max(0, first + by), last))
    return true
  })
  const [keyWidth, doesWidth] = [widest(keys, 'keys'), widest(keys, 'does')]
  return (
    <Box flexDirection="column" height={height}>
      {keys.slice(first, first + height).map((one) => (
        <Text key={`${one.keys} ${one.does}`}>
          {cut(
            `  ${one.keys.padEnd(keyWidth)}  ${one.does.padEnd(doesWidth)}  ${one.command ?? ''}`.trimEnd(),
            width,
          )}
        </Text>
      ))}
    </Box>
  )
}

function widest(keys: readonly KeyHelp[], member: 'keys' | 'does'): number {
  return Math.max(...keys.map((one) => one[member].length))
}
