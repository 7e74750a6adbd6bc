import { Box, Text } from 'ink'
import { useMemo, useRef, useState } from 'react'
import type { ScreenId } from '../../views/screens.js'
import { useBindings } from '../keys/bindings.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { useDaemon } from '../live/use-daemon.js'
import { type Focus, type Shell, ShellContext, type Target } from '../screen/screen.js'
import { SignInOverlay } from '../sign-in/SignInOverlay.js'
import { SignInCover } from '../sign-in/use-sign-in.js'
import type { Size } from '../terminal/size.js'
import { FaultBoundary } from './FaultBoundary.js'
import { HEADER_LINES, Header } from './Header.js'
import { KillSwitch } from './KillSwitch.js'
import { type Overlay, SHELL_KEYS, useLiftedKeys } from './keys.js'
import { Overlays } from './Overlays.js'
import { SCREENS } from './screens.js'

interface AppProps {
  first: ScreenId
  size: Size
  onQuit(): void
}

interface Place {
  screen: ScreenId
  asked?: { target: Target; count: number }
}

/** The whole program: header, one screen, and what lies over it. */
export function App({ first, size, onQuit }: AppProps) {
  const daemon = useDaemon()
  const [place, setPlace] = useState<Place>({ screen: first })
  const [overlay, setOverlay] = useState<Overlay>()
  const [isKilling, setKilling] = useState(false)
  const before = useRef<ScreenId>(first)
  const focus = useRef<Focus>({ bindings: [], pane: '' })
  const go = (screen: ScreenId, target?: Target) => {
    daemon.changes.say('')
    setOverlay(undefined)
    setPlace((now) => {
      if (now.screen !== screen) before.current = now.screen
      const count = (now.asked?.count ?? 0) + 1
      return { screen, asked: target && { target, count } }
    })
  }
  const kill = () => setKilling(true)
  useBindings(
    SHELL_KEYS,
    'any',
    {
      show: go,
      back: () => go(before.current),
      cover: setOverlay,
      kill,
      mute: () => daemon.bell.toggle(),
      retry: () => daemon.connection.retry(),
      signIn: () => daemon.part(SignInCover).open(),
      quit: onQuit,
    },
    'shell',
  )
  useLiftedKeys(kill)
  const goNow = useRef(go)
  goNow.current = go
  const shell = useMemo<Shell>(
    () => ({
      show: (screen, target) => goNow.current(screen, target),
      open(target) {
        const spec = SCREENS.find(({ opens }) => opens?.includes(target.kind))
        if (spec !== undefined) goNow.current(spec.id, target)
      },
      focus: (next) => {
        focus.current = next
      },
    }),
    [],
  )
  const area = { width: size.columns, height: size.rows - HEADER_LINES }
  const spec = SCREENS.find(({ id }) => id === place.screen)
  const isSmall = isTooSmall(size)
  return (
    <ShellContext.Provider value={shell}>
      <Box display={isSmall ? 'none' : 'flex'} flexDirection="column" width={size.columns} height={size.rows}>
        <Header screen={place.screen} width={size.columns} />
        <Box flexDirection="column" display={isKilling ? 'none' : 'flex'}>
          <SignInOverlay {...area}>
            <Overlays {...area} overlay={overlay} focus={focus} onClose={() => setOverlay(undefined)}>
              {spec && (
                <FaultBoundary key={spec.id} {...area}>
                  <spec.View {...area} asked={place.asked} />
                </FaultBoundary>
              )}
            </Overlays>
          </SignInOverlay>
        </Box>
        {isKilling && <KillSwitch {...area} onClose={() => setKilling(false)} />}
      </Box>
      {isSmall && <TooSmall />}
    </ShellContext.Provider>
  )
}

/** In less room a question would be cut, and an order confirmed unseen. */
const LEAST = { columns: 60, rows: 14 }

function isTooSmall({ columns, rows }: Size): boolean {
  return columns < LEAST.columns || rows < LEAST.rows
}

/** Covers everything in a terminal in which a question would be cut, and takes its keys. */
function TooSmall() {
  useKeyLayer('overlay', () => true)
  return <Text>svc needs 80 by 24. Make the terminal larger.</Text>
}
