import { Box, Text } from 'ink'
import { useState } from 'react'
import stringWidth from 'string-width'
import { scrollOf } from '../components/Fields.js'
import { cut } from '../terminal/fit.js'
import { type KeyHelp, KeyLine } from './KeyLine.js'
import { useKeyLayer } from './KeysProvider.js'

interface KeyHelpListProps {
  keys: readonly KeyHelp[]
  width: number
  height: number
  onClose(): void
}

const CLOSES: KeyHelp = { keys: 'any other key', does: 'closes' }

/** All keys with what they do and the command that does the same. Keys that do not scroll close it. */
export function KeyHelpList({ keys, width, height, onClose }: KeyHelpListProps) {
  const [top, setTop] = useState(0)
  const lines = helpLines(keys, width)
  const room = height - 1
  const last = Math.max(0, lines.length - room)
  const first = Math.min(top, last)
  useKeyLayer('overlay', ({ name }) => {
    const by = last === 0 ? 0 : scrollOf(name, room)
    if (by === 0) onClose()
    else setTop(Math.min(Math.max(0, first + by), last))
    return true
  })
  const below = last - first
  const scroll: KeyHelp = { keys: '↑↓', does: below > 0 ? `scroll, ${below} lines below` : 'scroll' }
  return (
    <Box flexDirection="column" height={height}>
      <Box flexDirection="column" height={room}>
        {lines.slice(first, first + room).map(({ key, text }) => (
          <Text key={key}>{cut(text, width)}</Text>
        ))}
      </Box>
      <KeyLine keys={last === 0 ? [{ ...CLOSES, keys: 'any key' }] : [scroll, CLOSES]} width={width} />
    </Box>
  )
}

interface HelpLine {
  key: string
  text: string
}

/** Returns the lines of the list: a command has a line of its own where not all of them fit beside their keys. */
export function helpLines(keys: readonly KeyHelp[], width: number): readonly HelpLine[] {
  const [keyWidth, doesWidth] = [widest(keys, 'keys'), widest(keys, 'does')]
  const isWide = 2 + keyWidth + 2 + doesWidth + 2 + widest(keys, 'command') <= width
  return keys.flatMap(({ keys: name, does, command = '' }) => {
    const key = `${name} ${does}`
    const start = `  ${padded(name, keyWidth)}  `
    if (isWide) return { key, text: `${start}${padded(does, doesWidth)}  ${command}`.trimEnd() }
    const line = { key, text: `${start}${does}` }
    return command === ''
      ? line
      : [line, { key: `${key} command`, text: `  ${padded('', keyWidth)}    ${command}` }]
  })
}

const padded = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - stringWidth(text)))

function widest(keys: readonly KeyHelp[], member: 'keys' | 'does' | 'command'): number {
  return Math.max(0, ...keys.map((one) => stringWidth(one[member] ?? '')))
}
