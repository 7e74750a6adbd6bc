import { Box, Text } from 'ink'
import { type ReactNode, useState } from 'react'
import type { SignInAccess } from '../../client/daemon-access.js'
import { visible } from '../../views/table/cells.js'
import { FORM_KEYS, Form, type FormField } from '../components/form/Form.js'
import { KeyLine } from '../keys/KeyLine.js'
import { useKeyLayer } from '../keys/KeysProvider.js'
import { useDaemon, useStore } from '../live/use-daemon.js'
import { cut, wrapped } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { SignInCover, useSignIn } from './use-sign-in.js'

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

const required = (value: string) => (value === '' ? 'required' : undefined)

const ACCOUNT: readonly FormField[] = [
  { name: 'username', label: 'User name', problem: required },
  { name: 'password', label: 'Password', isSecret: true, problem: required },
]
const CODE: readonly FormField[] = [
  {
    name: 'code',
    label: 'Authenticator code',
    problem: (value) => (/^\d{6}$/.test(value) ? undefined : 'six digits'),
  },
]

interface SignInFormProps extends Area {
  access: SignInAccess
  /** Why nobody is signed in. */
  reason: string
  /** The time of the last refusal of the session, in milliseconds. */
  refusedAt: number
  onLeave(): void
}

/** Asks for the user name and the password, and then for the code if the account has a second factor. */
function SignInForm({ access, reason, refusedAt, width, height, onLeave }: SignInFormProps) {
  const { step, text, sendPassword, sendCode, restart } = useSignIn(access, refusedAt)
  const [first] = useState(() => ({ username: access.lastUsername(), password: '' }))
  const shared = { width, height: height - 2, level: 'overlay', refusal: text } as const
  return (
    <Box flexDirection="column" height={height}>
      <Text>{cut(` ${visible(reason)}`, width)}</Text>
      {step === 'password' ? (
        <Form
          {...shared}
          title="Sign in to go on where you were."
          fields={ACCOUNT}
          first={first}
          at={first.username === '' ? 0 : 1}
          onSubmit={({ username = '', password = '' }) => sendPassword(username, password)}
          onCancel={onLeave}
        />
      ) : (
        <Form
          key="code"
          {...shared}
          title="The account has a second factor: type the code of the authenticator app."
          fields={CODE}
          first={{ code: '' }}
          onSubmit={({ code = '' }) => sendCode(code)}
          onCancel={restart}
        />
      )}
      <KeyLine keys={FORM_KEYS} width={width} />
    </Box>
  )
}
