import { Box } from 'ink'
import type { ReactNode, RefObject } from 'react'
import { CommandOverlay } from '../command/CommandOverlay.js'
import { useCommands } from '../command/commands-context.js'
import { JumpOverlay } from '../jump/JumpOverlay.js'
import { allKeysOf } from '../keys/bindings.js'
import { KeyHelpList } from '../keys/KeyHelpList.js'
import { useKeyMap } from '../keys/KeysProvider.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import type { Focus } from '../screen/shell-context.js'
import type { Area } from '../terminal/size.js'
import { type Overlay, SHELL_KEYS } from './keys.js'
import { ProofOverlay } from './ProofOverlay.js'

interface OverlaysProps extends Area {
  overlay: Overlay | undefined
  focus: RefObject<Focus>
  children: ReactNode
  onClose(): void
}

/** The screen with its overlays. A covered screen stays as it is, with everything that was typed. */
export function Overlays({ overlay, focus, children, onClose, ...area }: OverlaysProps) {
  const proof = useStore(useDaemon().changes.proof)
  const commands = useCommands()
  const isCovered = overlay !== undefined || proof !== undefined
  const parts = { ...area, onClose }
  return (
    <>
      <Box display={isCovered ? 'none' : 'flex'}>{children}</Box>
      <Box flexDirection="column" display={proof === undefined ? 'flex' : 'none'}>
        {overlay === 'help' && <Help {...parts} focus={focus} />}
        {overlay === 'command' && <CommandOverlay {...parts} access={commands} />}
        {overlay === 'jump' && <JumpOverlay {...parts} />}
      </Box>
      {proof !== undefined && <ProofOverlay {...area} request={proof} />}
    </>
  )
}

type HelpProps = Area & Pick<OverlaysProps, 'focus' | 'onClose'>

function Help({ focus, onClose, ...area }: HelpProps) {
  const map = useKeyMap()
  const { bindings, pane } = focus.current
  const keys = [...allKeysOf(bindings, pane, map), ...allKeysOf(SHELL_KEYS, 'any', map)]
  return <KeyHelpList {...{ ...area, keys, onClose }} />
}
