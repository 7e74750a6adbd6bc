import { Text } from 'ink'
import { describe, expect, test } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import { CommandsProvider } from '../../../src/tui/command/access.js'
import { useKeyLayer } from '../../../src/tui/keys/KeysProvider.js'
import { useDaemon } from '../../../src/tui/live/use-daemon.js'
import { App } from '../../../src/tui/shell/App.js'
import { FaultBoundary } from '../../../src/tui/shell/FaultBoundary.js'
import { USER } from '../../support/desk/desk.js'
import { liveDesk } from '../support/live-desk.js'
import { DOWN, ENTER, ESC, shown, TAB } from '../support/shown.js'

const COMMANDS = {
  program: ['svc'] as const,
  env: {},
  complete: async () => [],
  expanded: async (words: readonly string[]) => words,
  commandOf: async () => undefined,
}
const SIZE = { columns: 80, rows: 23 }
const [CTRL_K, CTRL_L] = ['\u000b', '\u000c']
const SIGN_IN = /> User name|> Password/

/** The whole program. The session is stored until `end` removes it, as `svc logout` in another terminal does. */
async function opened(stored: boolean) {
  const { http, token, url } = await liveDesk()
  let session: string | undefined = stored ? token : undefined
  const refusals: number[] = []
  const access: DaemonAccess = {
    client(timeoutMs) {
      if (session !== undefined) return new SvcClient({ url, token: session, apikey: http.apikey, timeoutMs })
      refusals.push(timeoutMs)
      throw Object.assign(new Error('Not signed in.'), { code: 'unauthenticated' })
    },
    signIn: {
      lastUsername: () => (stored ? USER : ''),
      client: async (timeoutMs) => new SvcClient({ url, timeoutMs }),
      keep: () => undefined,
    },
  }
  const program = await shown(
    access,
    <CommandsProvider value={COMMANDS}>
      <App first="approvals" size={SIZE} onQuit={() => undefined} />
      <Text />
    </CommandsProvider>,
  )
  const type = async (keys: readonly string[]) => {
    for (const key of keys) await program.press(key)
  }
  /** Resolves when something has asked for a client once more: a timer of what was typed has run. */
  const askedAgain = async (act: () => Promise<void>) => {
    const before = refusals.length
    await act()
    await expect.poll(() => refusals.length).toBeGreaterThan(before)
  }
  const end = async () => {
    session = undefined
    await http.request('POST', '/auth/logout', { headers: { authorization: `Bearer ${token}` } })
  }
  return { ...program, type, askedAgain, end }
}

/** The keys that open each form or line to type in, and what is typed there. */
const FORMS: Record<string, readonly string[]> = {
  'a new order, its symbol': ['2', 'n', ...'NSE:SBIN'],
  'a new order from the prices': ['6', 'n', ...'NSE:SBIN'],
  'a symbol to watch': ['6', 'a', ...'NSE:SBIN', ENTER],
  'a filter': ['2', '/', ...'SBIN', ENTER],
  'a ban': ['7', 'a', ...'203.0.113.7', ENTER],
  'a jump to a place': [CTRL_K, ...'SBIN'],
  'a command': [':', ...'order list', ENTER],
  'the details of a row': ['3', DOWN, ENTER, ESC],
  'a change of the mode': ['9', 'l', 'o', 'a', TAB],
}

describe.each([
  ['before the program starts', false],
  ['while the form is open', true],
])('a session that ended %s', (_when, stored) => {
  test.each(Object.entries(FORMS))('ends nothing at %s, and the sign-in opens again', async (_name, keys) => {
    const { shows, press, type, askedAgain, end, desk } = await opened(stored)
    const [first = '', ...rest] = keys
    if (stored) {
      await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
      await press(first)
      await end()
    }
    await shows(SIGN_IN)
    await press(ESC)
    await askedAgain(() => type(stored ? rest : keys))
    await press(CTRL_L)
    await shows(SIGN_IN)
  })
})

test('every key of every screen leaves the program running without a session', async () => {
  const { shows, press, type } = await opened(false)
  await shows(SIGN_IN)
  await press(ESC)
  for (const screen of '0123456789') {
    for (const key of 'abcdefghijklmnoprstuvwxyzACDKLNRS /') await type([ESC, screen, key])
    await type([ESC, ESC])
  }
  await press(CTRL_L)
  await shows(SIGN_IN)
})

/** A part whose key, timer or drawing fails. */
function Failing({ isDrawn }: { isDrawn: boolean }) {
  const desk = useDaemon()
  useKeyLayer('screen', ({ name }) => {
    if (name === 'x') throw new Error('of a key')
    desk.changes.say(`pressed ${name}`)
    return true
  })
  if (isDrawn) throw new Error('of a drawing')
  return <Text>The part</Text>
}

describe('an error', () => {
  test('of a key is shown, and the next key works', async () => {
    const { liveAccess } = await failing()
    const { desk, press, shows } = await shown(liveAccess, <Failing isDrawn={false} />)
    await shows('The part')
    await press('x')
    expect(desk.changes.message.get()).toBe('The program met an error: of a key')
    await press('y')
    expect(desk.changes.message.get()).toBe('pressed y')
  })

  test('of a drawing is shown in the place of the screen', async () => {
    const { liveAccess } = await failing()
    const { shows } = await shown(
      liveAccess,
      <FaultBoundary width={80} height={10}>
        <Failing isDrawn />
      </FaultBoundary>,
    )
    await shows('This screen met an error: of a drawing')
    await shows('Go to another screen by its number')
  })
})

async function failing() {
  const { access } = await liveDesk()
  return { liveAccess: access }
}
