import { expect, it } from 'vitest'
import { CommandsProvider } from '../../../src/tui/command/access.js'
import { App } from '../../../src/tui/shell/App.js'
import { PASSWORD } from '../../support/desk/http-desk.js'
import { liveDesk } from '../support/live-desk.js'
import { ENTER, ESC, shown, TAB } from '../support/shown.js'
import { sizeOf } from './system-desk.js'

const SIZE = { columns: 80, rows: 24 }
/** No test here runs a command. */
const COMMANDS = {
  program: ['false'],
  env: {},
  complete: async () => [],
  expanded: async (words: readonly string[]) => words,
  commandOf: async () => undefined,
} as const
const PROGRAM = (
  <CommandsProvider value={COMMANDS}>
    <App first="system" size={SIZE} onQuit={() => undefined} />
  </CommandsProvider>
)

/** The whole program on the system screen, with a session whose sign-in is too long ago for LIVE mode. */
async function openLongAfterSignIn() {
  const daemon = await liveDesk({ env: { REAUTH_MINUTES: '1' } })
  const { clock, service } = daemon.http.desk
  await service.settings.setAnalyzeMode(true)
  await clock.advance(2 * 60_000)
  const app = await shown(daemon.access, PROGRAM)
  await app.shows(/MODE +ANALYZE/)
  await app.press('m')
  await app.shows('Type live to confirm:')
  await app.press('live')
  await app.press(ENTER)
  await app.shows('Switch to LIVE: the daemon wants your password again.')
  return { ...daemon, app, isLive: () => !service.settings.get().analyzeMode }
}

it('going LIVE long after the sign-in takes the password again', async () => {
  const { app, isLive } = await openLongAfterSignIn()
  await app.press('wrong')
  await app.press(ENTER)
  await app.shows('The password is wrong.')
  expect(isLive()).toBe(false)
  await app.press('\u0015')
  await app.press(PASSWORD)
  await app.press(ENTER)
  await app.shows('Switch to LIVE: done.')
  expect(isLive()).toBe(true)
})

it('without the password the mode stays, also when it was changed meanwhile', async () => {
  const { app, client, isLive } = await openLongAfterSignIn()
  await app.press(ESC)
  await app.shows('Switch to LIVE: not made.')
  expect(isLive()).toBe(false)
  await app.press('m')
  await app.shows('Type live to confirm:')
  await app.press('live')
  await app.press(ENTER)
  await app.shows('wants your password again')
  await client.request('POST /apikey/mode', { body: { user_id: 'asha', mode: 'semi_auto' } })
  await app.press(PASSWORD)
  await app.press(ENTER)
  await app.shows('Switch to LIVE: not sent. The mode or the broker has changed.')
  expect(isLive()).toBe(false)
})

it('both screens open on their number keys, fit 24 lines, keep their tab, and explain their keys', async () => {
  const { access } = await liveDesk()
  const app = await shown(access, PROGRAM)
  await app.shows('[overview]')
  await app.press(TAB)
  await app.shows('[diagnostics]')
  await app.press('7')
  await app.shows('[bans]')
  expect(sizeOf(app.screen())).toEqual({ lines: 24, widest: expect.toSatisfy((wide: number) => wide <= 80) })
  await app.press('?')
  await app.shows(/b +ban an address or a network; on a row, its address\s+svc ban add/)
  await app.press(ESC)
  await app.shows('[bans]')
  await app.press('9')
  await app.shows('[diagnostics]')
  await app.press('?')
  await app.shows(/p +run the probes\s+svc admin diag/)
})
