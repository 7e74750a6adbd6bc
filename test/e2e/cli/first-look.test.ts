import { describe, expect, it, onTestFinished } from 'vitest'
import { readDaemonFile } from '../../../src/cli/io/home.js'
import { isAlive } from '../../../src/cli/io/processes.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { Tmux, tmuxMissing } from '../../support/tmux.js'

const missing = tmuxMissing()

/** A terminal in a home without anything. */
async function opened(): Promise<{ home: string; tmux: Tmux }> {
  const home = tempDir()
  const run = process.env.E2E_RUN
  const ports = { SVC_PORT: '0', SVC_WS_PORT: '0' }
  const tmux = await Tmux.opened({
    HOME: home,
    SVC_HOME: home,
    NO_COLOR: '1',
    ...ports,
    ...(run && { E2E_RUN: run }),
  })
  return { home, tmux }
}

describe.skipIf(missing)(`svc tui in a new home${missing ? ` (${missing})` : ''}`, () => {
  it('starts a daemon and creates the first user, when it is told to', async () => {
    const { home, tmux } = await opened()
    await tmux.svc('tui')
    await tmux.shows('Start one? [y/N]')
    await tmux.type('y')
    await tmux.key('Enter')
    await tmux.shows('Create the first one? [y/N]')
    onTestFinished(async () => {
      const pid = readDaemonFile(home)?.pid
      if (pid === undefined) return
      process.kill(pid)
      // It writes into its home until it has ended.
      await eventually(() => !isAlive(pid))
    })
    await tmux.type('y')
    await tmux.key('Enter')
    for (const [label, text] of [
      ['Username: ', 'asha'],
      ['E-mail: ', 'asha@example.com'],
      ['Password: ', 'Passw0rd!x'],
      ['Password again: ', 'Passw0rd!x'],
    ] as const) {
      await tmux.shows(label.trim())
      await tmux.type(text)
      await tmux.key('Enter')
    }
    await tmux.shows('Not signed in at')
    await tmux.shows(/> User name/)
    await tmux.type('asha')
    await tmux.key('Enter')
    await tmux.shows(/> Password/)
    await tmux.type('Passw0rd!x')
    await tmux.key('Enter')
    await tmux.shows(/^ (LIVE|ANALYZE) {2}connected/m)
    await tmux.key('q')
    await tmux.left()
  })

  it('shows the screen all the same after a no, and starts nothing', async () => {
    const { home, tmux } = await opened()
    await tmux.svc('tui')
    await tmux.shows('Start one? [y/N]')
    await tmux.key('Enter')
    await tmux.shows('1 Approvals')
    expect(readDaemonFile(home)).toBeUndefined()
    await tmux.key('C-c')
    await tmux.left()
  })
})
