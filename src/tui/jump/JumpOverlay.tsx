import { Box, Text } from 'ink'
import { useState } from 'react'
import { visible } from '../../views/table/cells.js'
import { edited } from '../components/form/TextField.js'
import { windowOf } from '../components/list/Table.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { useShell } from '../screen/shell-context.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import type { Place } from './places.js'
import { usePlaces } from './use-places.js'

const KEYS = [
  { keys: 'enter', does: 'go' },
  { keys: '↑↓', does: 'move' },
  { keys: 'esc', does: 'cancel' },
]
/** The line to type in, and the keys. */
const OTHER_LINES = 2

/** Jumps to a symbol, an order, a workflow, a strategy or a screen by a few letters. */
export function JumpOverlay({ width, height, onClose }: Area & { onClose(): void }) {
  const shell = useShell()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const places = usePlaces(text)
  const chosen = Math.min(at, places.length - 1)
  const go = (place: Place) => {
    onClose()
    if ('screen' in place.go) shell.show(place.go.screen)
    else shell.open(place.go.target)
  }
  useKeyLayer('overlay', ({ name, text: typed }) => {
    const place = places[chosen]
    if (name === 'esc') onClose()
    else if (name === 'enter') place && go(place)
    else if (name === 'up') setAt(Math.max(0, chosen - 1))
    else if (name === 'down') setAt(chosen + 1)
    else {
      setText(edited(text, name, typed))
      setAt(0)
    }
    return true
  })
  const shown = windowOf(places, chosen, height - OTHER_LINES)
  return (
    <Box flexDirection="column" height={height}>
      <Text bold wrap="truncate-start">
        {`Jump to: ${visible(text)}`}
        <Text inverse> </Text>
      </Text>
      <Box flexDirection="column" height={height - OTHER_LINES}>
        {shown.map((place) => (
          <Text key={`${place.kind} ${place.name}`} inverse={place === places[chosen]}>
            {cut(`${place === places[chosen] ? '>' : ' '} ${lineOf(place)}`, width)}
          </Text>
        ))}
      </Box>
      <KeyLine keys={KEYS} width={width} />
    </Box>
  )
}

function lineOf({ kind, name, summary }: Place): string {
  return visible(`${kind.padEnd(9)} ${name}  ${summary}`)
}
