import { Box, Text } from 'ink'
import { type ReactNode, type RefObject, useState } from 'react'
import { visible } from '../../views/table/cells.js'
import { useCommands } from '../command/access.js'
import { CommandOverlay } from '../command/CommandOverlay.js'
import { FORM_KEYS, Form, type FormField, type FormValues } from '../components/form/Form.js'
import { JumpOverlay } from '../jump/JumpOverlay.js'
import { allKeysOf } from '../keys/bindings.js'
import { KeyHelpList } from '../keys/KeyHelpList.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useKeyMap } from '../keys/KeysProvider.js'
import type { ProofRequest } from '../live/changes/proof.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import type { Focus } from '../screen/screen.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { type Overlay, SHELL_KEYS } from './keys.js'

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
  return <KeyHelpList {...area} keys={keys} onClose={onClose} />
}

const PASSWORD: FormField = {
  name: 'password',
  label: 'Password',
  isSecret: true,
  problem: (value) => (value === '' ? 'required' : undefined),
}
const CODE: FormField = {
  name: 'code',
  label: 'Authenticator code',
  problem: (value) => (/^\d{6}$/.test(value) ? undefined : 'six digits'),
}

/** Asks for the password again, because the last sign-in is too long ago for a change. */
function ProofOverlay({ request, width, height }: Area & { request: ProofRequest }) {
  const [refusal, setRefusal] = useState('')
  const prove = async ({ password = '', code }: FormValues) => {
    setRefusal('Checking …')
    setRefusal((await request.prove(password, code)) ?? '')
  }
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(visible(`${request.name}: the daemon wants your password again.`), width)}</Text>
      <Form
        title="The last sign-in is too long ago for this change."
        fields={request.needsCode ? [PASSWORD, CODE] : [PASSWORD]}
        first={{ password: '', code: '' }}
        level="overlay"
        width={width}
        height={height - 2}
        refusal={refusal}
        onSubmit={(values) => void prove(values)}
        onCancel={request.cancel}
      />
      <KeyLine keys={FORM_KEYS} width={width} />
    </Box>
  )
}
