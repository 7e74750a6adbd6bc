import { Box, Text } from 'ink'
import { useState } from 'react'
import type { SignInAccess } from '../../client/daemon-access.js'
import { visible } from '../../views/table/cells.js'
import { FORM_KEYS, Form, type FormField } from '../components/form/Form.js'
import { KeyLine } from '../keys/KeyLine.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { useSignIn } from './use-sign-in.js'

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
export function SignInForm({ access, reason, refusedAt, width, height, onLeave }: SignInFormProps) {
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
