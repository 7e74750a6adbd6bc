import { useEffect, useRef, useState } from 'react'
import type { SignInAccess } from '../../client/daemon-access.js'
import { messageOf } from '../../core/errors/index.js'
import { READ_LIMIT_MS } from '../live/connection.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Store } from '../live/store.js'
import { useDaemon } from '../live/use-daemon.js'

/** The state of a sign-in. */
export interface SignIn {
  /** The secret that the daemon asks for next. */
  step: 'password' | 'code'
  /** The progress, or the words of the daemon's refusal. */
  text: string
  sendPassword(username: string, password: string): void
  sendCode(code: string): void
  /** Goes back from the code to the password. */
  restart(): void
}

interface SignInState {
  loginToken?: string
  text: string
  /** True after a sign-in whose session was not used yet. */
  isConnecting?: boolean
}

/** Signs in step by step, and connects with the new session. A refused session begins again, and keeps what was typed. */
export function useSignIn(access: SignInAccess, refusedAt: number): SignIn {
  const { connection } = useDaemon()
  const [state, setState] = useState<SignInState>({ text: '' })
  const isSending = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal ends the attempt to connect.
  useEffect(() => {
    setState((before) => (before.isConnecting === true ? { text: '' } : before))
  }, [refusedAt])
  /** Sends one request at a time: each wrong password makes the next sign-in wait longer. */
  const attempt = async (send: () => Promise<string | undefined>) => {
    if (isSending.current) return
    isSending.current = true
    setState((before) => ({ ...before, text: 'Signing in …' }))
    try {
      const loginToken = await send()
      if (loginToken !== undefined) setState({ loginToken, text: '' })
      else {
        setState({ text: 'Signed in. Connecting …', isConnecting: true })
        connection.retry()
      }
    } catch (thrown) {
      setState((before) => ({ ...before, text: messageOf(thrown) }))
    }
    isSending.current = false
  }
  const { loginToken, text } = state
  return {
    step: loginToken === undefined ? 'password' : 'code',
    text,
    sendPassword: (username, password) => void attempt(() => withPassword(access, username, password)),
    sendCode: (code) => void attempt(() => withCode(access, loginToken ?? '', code)),
    restart: () => setState({ text: '' }),
  }
}

/** Sends the password. @returns the token for the second step if the account has one */
async function withPassword(
  access: SignInAccess,
  username: string,
  password: string,
): Promise<string | undefined> {
  const body = { username, password }
  const client = await access.client(READ_LIMIT_MS)
  const answer = await client.request('POST /auth/login', { body })
  if (answer.status === 'totp_required') return answer.login_token
  access.keep(answer)
  return undefined
}

async function withCode(access: SignInAccess, login_token: string, totp_code: string): Promise<undefined> {
  const body = { login_token, totp_code }
  const client = await access.client(READ_LIMIT_MS)
  access.keep(await client.request('POST /auth/login/totp', { body }))
}

/** Decides whether the sign-in lies over the screen. */
export class SignInCover {
  /** True if the user left the sign-in to look at the screen. */
  readonly isLeft = new Store(false)

  constructor({ connection }: LiveDaemon) {
    connection.state.subscribe(() => {
      if (connection.state.get().kind === 'connected') this.isLeft.set(false)
    })
  }

  open(): void {
    this.isLeft.set(false)
  }

  leave(): void {
    this.isLeft.set(true)
  }
}
