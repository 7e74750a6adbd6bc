import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { visible } from '../../views/table/cells.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { cut, wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { SignInCover } from './cover.js'
import { SignInForm } from './SignInForm.js'

/** Covers the whole program while nobody is signed in. The screen below stays as it is, with everything that was typed. */
export function SignInOverlay({ children, ...area }: Area & { children: ReactNode }) {
  const daemon = useDaemon()
  const connection = useStore(daemon.connection.state)
  const cover = daemon.part(SignInCover)
  const isLeft = useStore(cover.isLeft)
  const isShown = connection.kind === 'signed_out' && !isLeft
  const leave = () => cover.leave()
  const { signIn } = daemon.access
  return (
    <>
      <Box flexDirection="column" display={isShown ? 'none' : 'flex'}>
        {children}
      </Box>
      {isShown && signIn === undefined && <NoSignIn {...area} reason={connection.problem} onLeave={leave} />}
      {isShown && signIn !== undefined && (
        <SignInForm
          {...area}
          access={signIn}
          refusedAt={connection.at}
          reason={connection.problem}
          onLeave={leave}
        />
      )}
    </>
  )
}

/** Says why nobody can sign in here. */
function NoSignIn({ reason, width, height, onLeave }: Area & { reason: string; onLeave(): void }) {
  useKeyLayer('overlay', ({ name }) => {
    if (name === 'esc') onLeave()
    return true
  })
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(` ${visible(reason)}`, width)}</Text>
      {wrapped(NO_SIGN_IN, width - 1).map((line) => (
        <Text key={line}> {line}</Text>
      ))}
      <Box flexGrow={1} />
      <KeyLine keys={[{ keys: 'esc', does: 'back to the screen' }]} width={width} />
    </Box>
  )
}

const NO_SIGN_IN =
  'The credential is the token in SVC_TOKEN, so there is nothing to sign in with here. ' +
  'Unset it, or make a new one (svc token create), and start the program again.'
