import { Text } from 'ink'
import { generateSync } from 'otplib'
import { useState } from 'react'
import { expect, test } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import { TextField } from '../../../src/tui/components/form/TextField.js'
import { useBindings } from '../../../src/tui/keys/bindings.js'
import { useDaemon } from '../../../src/tui/live/use-daemon.js'
import { SignInOverlay } from '../../../src/tui/sign-in/SignInOverlay.js'
import { SignInCover } from '../../../src/tui/sign-in/use-sign-in.js'
import { USER } from '../../support/desk/desk.js'
import { bearer, PASSWORD } from '../../support/desk/http-desk.js'
import { liveDesk } from '../support/live-desk.js'
import { ENTER, ESC, shown } from '../support/shown.js'

const KEYS = [
  { id: 'again', in: ['any'], keys: ['l'], act: (acts: { open(): void }) => acts.open() },
] as const

/** A screen with an open line to type in, as forms have. */
function Typing() {
  const [isTyping, setTyping] = useState(true)
  const desk = useDaemon()
  useBindings(KEYS, 'any', { open: () => desk.part(SignInCover).open() }, 'shell')
  return isTyping ? (
    <TextField label="Reason: " onSubmit={() => setTyping(false)} onCancel={() => setTyping(false)} />
  ) : (
    <Text>The screen</Text>
  )
}

/** A program whose session is what `keep` last stored. */
async function opened({ signIn = true, stored = true, env = {} } = {}) {
  const live = await liveDesk({ env })
  const { http, url } = live
  const kept: string[] = stored ? [live.token] : []
  const access: DaemonAccess = {
    client(timeoutMs) {
      const token = kept.at(-1)
      if (token === undefined) throw Object.assign(new Error('Not signed in.'), { code: 'unauthenticated' })
      return new SvcClient({ url, token, timeoutMs })
    },
    signIn: signIn
      ? {
          lastUsername: () => (stored ? USER : ''),
          client: async (timeoutMs) => new SvcClient({ url, timeoutMs }),
          keep: ({ token }) => void kept.push(token),
        }
      : undefined,
  }
  const program = await shown(
    access,
    <SignInOverlay width={80} height={21}>
      <Typing />
    </SignInOverlay>,
  )
  const type = async (text: string) => {
    for (const key of text) await program.press(key)
  }
  const revoke = async () => {
    const token = kept.at(-1) ?? ''
    await http.request('POST', '/auth/logout', { headers: { authorization: `Bearer ${token}` } })
  }
  const connected = () => expect.poll(() => program.desk.connection.state.get().kind).toBe('connected')
  return { ...live, ...program, type, revoke, kept, connected }
}

test('a session that ends while a text is half typed is renewed, and the text stays', async () => {
  const { shows, screen, type, press, revoke, connected, kept } = await opened()
  await shows('Reason:')
  await connected()
  await type('too exp')
  await revoke()
  await shows('The session has ended, or it was revoked.')
  await shows(/> Password/)
  expect(screen()).toContain(USER)
  expect(screen()).not.toContain('too exp')
  await type(PASSWORD)
  await shows('•'.repeat(PASSWORD.length))
  expect(screen()).not.toContain(PASSWORD)
  await press(ENTER)
  await shows('Reason: too exp')
  expect(kept).toHaveLength(2)
  await type('ensive')
  await shows('Reason: too expensive')
})

test('a wrong password is refused with the words of the daemon, and can be typed again', async () => {
  const { shows, screen, type, press, kept } = await opened({ stored: false })
  await shows(/> User name/)
  await shows('Not signed in.')
  await type(USER)
  await press(ENTER)
  await type('wrong')
  await press(ENTER)
  await shows('Invalid')
  expect(kept).toEqual([])
  await press('\u0015')
  await type(PASSWORD)
  await press(ENTER)
  await shows('Reason:')
  expect(screen()).not.toContain('Password')
})

test('fields that are empty are not sent', async () => {
  const { shows, press, kept } = await opened({ stored: false })
  await shows(/> User name/)
  await press(ENTER)
  await press(ENTER)
  await shows('required')
  expect(kept).toEqual([])
})

test('esc shows the screen as it was, and the sign-in opens again by its key', async () => {
  const { shows, type, press, revoke, connected } = await opened()
  await shows('Reason:')
  await connected()
  await type('abc')
  await revoke()
  await shows(/> Password/)
  await press(ESC)
  await shows('Reason: abc')
  await press(ENTER)
  await shows('The screen')
  await press('l')
  await shows(/> Password/)
})

test('a token of the environment cannot be renewed here', async () => {
  const { shows, press, revoke, connected } = await opened({ signIn: false })
  await shows('Reason:')
  await connected()
  await revoke()
  await shows('The credential is the token in SVC_TOKEN, so there is nothing to sign in with')
  await press(ESC)
  await shows('Reason:')
})

test('an account with a second factor is asked for the code after the password', async () => {
  const { http, token, shows, type, press, revoke, connected, kept } = await opened()
  await connected()
  const { secret } = await http.desk.service.identity.secondFactor.enrolment(USER)
  const code = () => generateSync({ secret, epoch: Math.floor(http.desk.clock.now() / 1000) })
  const flags = { totp_enabled: true, totp_required_for_login: true }
  const set = { headers: bearer(token), body: { totp_code: code(), ...flags } }
  expect((await http.request('POST', '/auth/2fa/configure', set)).status).toBe(200)
  await http.desk.clock.advance(60_000)
  await revoke()
  await shows(/> Password/)
  await type(PASSWORD)
  await press(ENTER)
  await shows(/> Authenticator code/)
  await type('00000')
  await shows('six digits')
  await type('0')
  await press(ENTER)
  await shows('Invalid')
  await press('\u0015')
  await type(code())
  await press(ENTER)
  await shows('Reason:')
  expect(kept).toHaveLength(2)
})

test('an address with too many sign-ins is refused with the words of the daemon', async () => {
  const { shows, type, press } = await opened({
    stored: false,
    env: { LOGIN_RATE_LIMIT_MIN: '1 per minute' },
  })
  await shows(/> User name/)
  await type(USER)
  await press(ENTER)
  await type(PASSWORD)
  await press(ENTER)
  await shows(/Too many|limit/i)
})

test('another try to connect leaves what was typed', async () => {
  const { desk, shows, screen, type, revoke, connected } = await opened()
  await shows('Reason:')
  await connected()
  await revoke()
  await shows(/> Password/)
  await type('secret')
  await shows('•'.repeat(6))
  const refusedAt = () => {
    const now = desk.connection.state.get()
    return now.kind === 'signed_out' ? now.at : 0
  }
  const before = refusedAt()
  desk.connection.retry()
  await expect.poll(refusedAt).toBeGreaterThan(before)
  await type('s')
  await shows('•'.repeat(7))
  expect(screen()).toContain('> Password')
})
