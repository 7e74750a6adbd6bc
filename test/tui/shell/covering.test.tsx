import { expect, test } from 'vitest'
import { commandOf } from '../../../src/cli/completion/candidates.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { CommandsProvider } from '../../../src/tui/command/access.js'
import type { Change } from '../../../src/tui/live/changes/changes.js'
import { App } from '../../../src/tui/shell/App.js'
import { PASSWORD } from '../../support/desk/http-desk.js'
import { liveDesk } from '../support/live-desk.js'
import { ENTER, ESC, shown } from '../support/shown.js'

const KILL = '\u0018'
const SIZE = { columns: 80, rows: 24 }
/** A command that says its process id and never ends. */
const ENDLESS = 'console.log("pid " + process.pid + "."); setInterval(() => {}, 1000)'

/** The whole program, whose commands never end. */
async function opened() {
  const daemon = await liveDesk({ env: { REAUTH_MINUTES: '1' } })
  const { service } = daemon.http.desk
  await service.settings.setAnalyzeMode(true)
  const commands = { program: [process.execPath, '-e', ENDLESS, '--'], env: {}, ...KNOWN } as const
  const app = await shown(
    daemon.access,
    <CommandsProvider value={commands}>
      <App first="system" size={SIZE} onQuit={() => undefined} />
    </CommandsProvider>,
  )
  await app.shows(/MODE +ANALYZE/)
  const isKilled = async () => (await daemon.client.request('GET /status', {})).data.kill_switch
  /** Runs a command. @returns the id of its process */
  const run = async () => {
    await app.press(':')
    await app.shows(': svc')
    await app.press('order list')
    await app.press(ENTER)
    await app.shows(/pid \d+\./)
    return Number(/pid (\d+)\./.exec(app.screen())?.[1])
  }
  return { ...daemon, ...app, isKilled, run }
}

const KNOWN = {
  complete: async () => [],
  expanded: async (words: readonly string[]) => words,
  commandOf: (words: readonly string[]) => commandOf(words, NOUNS),
}

const toLive: Change = {
  name: 'Switch',
  check: 'svc status',
  async send(client) {
    await client.request('POST /settings/analyze-mode/:mode', { params: { mode: '0' } })
    return 'done.'
  },
}

test('the kill switch opens over a line that is half typed, which stays', async () => {
  const { shows, press, isKilled } = await opened()
  await press(':')
  await shows(': svc')
  await press('order pl')
  await shows('order pl')
  await press(KILL)
  await shows('Type kill to confirm')
  await press('kill')
  await press(ENTER)
  await expect.poll(isKilled).toBe(true)
  await shows(': svc order pl')
  await press('ace')
  await shows(': svc order place')
})

test('the kill switch keeps the keys when a password is asked for below it', async () => {
  const { desk, http, shows, press, isKilled } = await opened()
  await http.desk.clock.advance(2 * 60_000)
  await press(KILL)
  await shows('Type kill to confirm')
  desk.changes.start(toLive)
  await expect.poll(() => desk.changes.proof.get()).toBeDefined()
  await press('kill')
  await press(ENTER)
  await expect.poll(isKilled).toBe(true)
  await shows('wants your password again')
})

test('a question for the password leaves the output of a command as it is', async () => {
  const { desk, http, shows, press, run } = await opened()
  const id = await run()
  await http.desk.clock.advance(2 * 60_000)
  desk.changes.start(toLive)
  await shows('wants your password again')
  await press(PASSWORD)
  await press(ENTER)
  await expect.poll(() => desk.changes.message.get()).toBe('Switch: done.')
  await shows(`pid ${id}.`)
  await press(ESC)
  await shows('exit 130')
})

test('a command ends with the program', async () => {
  const { run, unmount } = await opened()
  const id = await run()
  unmount()
  await expect.poll(() => isAlive(id)).toBe(false)
})

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}
