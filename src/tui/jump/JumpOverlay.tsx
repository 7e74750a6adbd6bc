import { Box, Text } from 'ink'
import { useEffect, useMemo, useState } from 'react'
import { visible } from '../../views/table/cells.js'
import { edited } from '../components/form/TextField.js'
import { windowOf } from '../components/list/Table.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { useDaemon } from '../live/use-daemon.js'
import { useShell } from '../screen/screen.js'
import { fitted } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { matching, type Place, readPlaces, screenPlaces, symbolPlaces } from './places.js'

const KEYS = [
  { keys: 'enter', does: 'go' },
  { keys: '↑↓', does: 'move' },
  { keys: 'esc', does: 'cancel' },
]
/** The line to type in, and the keys. */
const OTHER_LINES = 2

/** Jumps to a symbol, an order, a position, a workflow, a strategy or a screen by a few letters. */
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
            {fitted(`${place === places[chosen] ? '>' : ' '} ${placeLine(place)}`, width)}
          </Text>
        ))}
      </Box>
      <KeyLine keys={KEYS} width={width} />
    </Box>
  )
}

function placeLine({ kind, name, summary }: Place): string {
  return visible(`${kind.padEnd(9)} ${name}  ${summary}`)
}

/** A fast typist needs no search for each character. */
const PAUSE_MS = 150
const NONE: readonly Place[] = []

/** Returns the places that match a text, with symbols from the instrument master. */
function usePlaces(text: string): readonly Place[] {
  const daemon = useDaemon()
  const [listed, setListed] = useState<readonly Place[]>(NONE)
  const [found, setFound] = useState<readonly Place[]>(NONE)
  const typed = text.trim()
  useEffect(() => whileCurrent(() => readPlaces(daemon.reader()), setListed), [daemon])
  useEffect(() => {
    if (typed === '') return setFound(NONE)
    let end: () => void = () => undefined
    const timer = setTimeout(() => {
      end = whileCurrent(() => symbolPlaces(daemon.reader(), typed), setFound)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [daemon, typed])
  return useMemo(
    () => matching([...screenPlaces(), ...listed], typed === '' ? NONE : found, typed),
    [listed, found, typed],
  )
}

/** Shows what a read finds, unless something newer is read by then. @returns the way to say so */
function whileCurrent(
  read: () => Promise<readonly Place[]>,
  show: (places: readonly Place[]) => void,
): () => void {
  let isCurrent = true
  read()
    .catch(() => NONE)
    .then((places) => isCurrent && show(places))
  return () => {
    isCurrent = false
  }
}
