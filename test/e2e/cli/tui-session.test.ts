import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSecret, storeSecret } from '../../../src/cli/io/home.js'
import { queueOne } from '../../support/desk/desk-state.js'
import { Authenticator } from '../../support/process/authenticator.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../../support/process/daemon-process.js'
import { Tmux, tmuxMissing } from '../../support/tmux.js'

const missing = tmuxMissing()

let daemon: DaemonProcess
beforeAll(async () => {
  if (missing === undefined) daemon = await DaemonProcess.ready()
})
afterAll(() => daemon?.dispose())

interface Decision {
  id: number
  rejected_reason: string | null
}

const decisions = async (status: string): Promise<readonly Decision[]> => {
  const path = `/action-center/api/data?status=${status}`
  return (await daemon.request<{ data: { orders: Decision[] } }>('GET', path)).body.data.orders
}

/** Opens a terminal in the home of a daemon that queues orders, with a stored session and an empty queue. */
async function opened(settings = '') {
  await daemon.analyze(false)
  await daemon.orderMode('semi_auto')
  for (const { id } of await decisions('pending')) await daemon.request('POST', `/action-center/reject/${id}`)
  const { home, token: value, url } = daemon
  storeSecret(home, 'session.json', { value, url, username: USERNAME, expiresAt: undefined })
  writeFileSync(join(home, 'tui.yaml'), settings)
  const env = { HOME: home, SVC_HOME: home, NO_COLOR: '1' }
  const run = process.env.E2E_RUN
  const tmux = await Tmux.opened({ ...env, ...(run && { E2E_RUN: run }) })
  let asked = 0
  return {
    home,
    tmux,
    /** Shows the queue with one order, and opens the line for the reason to reject it. Returns its id. */
    ask: async (): Promise<number> => {
      asked = await queueOne(daemon, { pricetype: 'LIMIT', price: '100' })
      await tmux.svc('tui --screen approvals')
      await tmux.shows(/^> .*SBIN.*pending/m)
      await tmux.key('r')
      await tmux.shows(`Reason to reject ${asked}`)
      return asked
    },
    /** Leaves the program, so that it writes nothing into a home that is removed. */
    quit: async () => {
      await tmux.key('q')
      await tmux.left()
    },
    /** Returns the reason of the order above, if it is rejected. */
    rejections: async () =>
      (await decisions('rejected'))
        .filter(({ id }) => id === asked)
        .map(({ rejected_reason }) => rejected_reason),
  }
}

describe.skipIf(missing)(`a session in the terminal program${missing ? ` (${missing})` : ''}`, () => {
  it('is not needed to type into a form: the program stays, and the shell gets nothing of it', async () => {
    const { home, tmux, quit } = await opened()
    rmSync(join(home, 'session.json'))
    await tmux.svc('tui')
    await tmux.shows(/> User name/)
    await tmux.key('Escape')
    await tmux.shows('[day]')
    await tmux.key('2')
    await tmux.shows('[orders]')
    await tmux.key('n')
    await tmux.type('NSE:SBIN')
    await tmux.shows('NSE:SBIN')
    await tmux.key('C-l')
    await tmux.shows(/> User name/)
    await tmux.type(USERNAME)
    await tmux.shows(USERNAME)
    await tmux.key('Escape')
    await tmux.shows('NSE:SBIN')
    await tmux.key('Escape')
    await tmux.shows('[orders]')
    await quit()
  })

  it('ends from elsewhere while a reason is half typed, and goes on after a sign-in', async () => {
    const { tmux, ask, quit, rejections } = await opened()
    const id = await ask()
    await tmux.type('too exp')
    await tmux.shows(`Reason to reject ${id}: too exp`)
    await daemon.request('POST', '/auth/logout')
    await tmux.shows('The session has ended, or it was revoked.')
    await tmux.key('Escape')
    await tmux.shows(/SIGNED OUT, ctrl-l signs in/)
    await tmux.shows(/^ \d+s old /m)
    await tmux.shows(`Reason to reject ${id}: too exp`)
    await tmux.type('ens')
    await tmux.shows(`Reason to reject ${id}: too expens`)
    expect(await tmux.screen()).toMatch(/SBIN.*pending/)
    await tmux.key('C-l')
    await tmux.shows(/> Password/)
    await tmux.type(PASSWORD)
    await tmux.key('Enter')
    await tmux.shows(/^ LIVE {2}connected/m)
    await tmux.shows(`Reason to reject ${id}: too expens`)
    await tmux.type('ive')
    await tmux.shows(`Reason to reject ${id}: too expensive`)
    await tmux.key('Enter')
    await tmux.shows(/SBIN.*rejected/)
    await daemon.signIn()
    await expect.poll(rejections).toEqual(['too expensive'])
    await quit()
  })

  it('keeps what was typed while the daemon is killed, and follows it to another port', async () => {
    const { tmux, ask, quit, rejections } = await opened()
    const id = await ask()
    await tmux.type('too exp')
    await tmux.shows(`Reason to reject ${id}: too exp`)
    const before = daemon.url
    await daemon.kill()
    await tmux.shows(/NOT CONNECTED \d+s, retry \d+s/)
    await tmux.shows(/^ \d+s old /m)
    await tmux.shows(/SBIN.*pending/)
    await tmux.type('ens')
    await tmux.shows(`Reason to reject ${id}: too expens`)
    await daemon.start()
    expect(daemon.url).not.toBe(before)
    await tmux.shows(/^ LIVE {2}connected/m)
    await tmux.type('ive')
    await tmux.shows(`Reason to reject ${id}: too expensive`)
    await tmux.key('Enter')
    await tmux.shows(/SBIN.*rejected/)
    await expect.poll(rejections).toEqual(['too expensive'])
    await quit()
  })

  it('sends nothing while the daemon is away, and connects at once with ctrl-r', async () => {
    const { tmux, ask, quit, rejections } = await opened()
    const id = await ask()
    await tmux.type('late')
    await tmux.shows(`Reason to reject ${id}: late`)
    await daemon.kill()
    await tmux.shows('NOT CONNECTED')
    await tmux.key('Enter')
    await tmux.shows(`Rejection not sent. The daemon is not connected. Reason to reject ${id}: late`)
    // The pauses have grown to seconds.
    await tmux.shows('retry 5s')
    await daemon.start()
    await tmux.key('C-r')
    await tmux.shows(/^ LIVE {2}connected/m)
    await tmux.shows(/SBIN.*pending/)
    expect(await rejections()).toEqual([])
    await tmux.key('Enter')
    await tmux.shows(/SBIN.*rejected/)
    await expect.poll(rejections).toEqual(['late'])
    await quit()
  })

  it('says what it waits for when it is left before an answer', async () => {
    const { tmux, ask, rejections } = await opened()
    await ask()
    process.kill(daemon.pid, 'SIGSTOP')
    await tmux.key('Enter')
    await tmux.shows('rejecting …')
    await tmux.key('q')
    await tmux.shows('It ends when all is sent and answered. ctrl-c ends it now, other keys go on.')
    process.kill(daemon.pid, 'SIGCONT')
    await tmux.left()
    expect(await rejections()).toHaveLength(1)
  })

  it('ends at once with ctrl-c, sends no decision that could still be undone, and names it', async () => {
    const { ask, rejections, tmux } = await opened('undo: {seconds: 60}')
    const id = await ask()
    await tmux.type('no')
    await tmux.key('Enter')
    await tmux.shows(`Approval ${id}: rejected in 60 s, u undoes`)
    await tmux.key('C-c')
    await tmux.left()
    await tmux.shows(`Interrupted. Not sent: the decision on approval ${id}`)
    expect(await rejections()).toEqual([])
  })

  it('names a decision that was not sent when a signal ends it', async () => {
    const { ask, rejections, tmux } = await opened('undo: {seconds: 60}')
    const id = await ask()
    await tmux.type('no')
    await tmux.key('Enter')
    await tmux.shows(`Approval ${id}: rejected in 60 s, u undoes`)
    for (const pid of await tmux.children()) process.kill(pid, 'SIGTERM')
    await tmux.left()
    await tmux.shows(`Not sent: the decision on approval ${id}`)
    expect(await rejections()).toEqual([])
  })

  it('drops a decision that could still be undone when it is suspended, and says so', async () => {
    const { ask, quit, rejections, tmux } = await opened('undo: {seconds: 60}')
    const id = await ask()
    await tmux.type('no')
    await tmux.key('Enter')
    await tmux.shows(`Approval ${id}: rejected in 60 s, u undoes`)
    await tmux.key('C-z')
    await tmux.shows('Stopped')
    await tmux.type('fg')
    await tmux.key('Enter')
    await tmux.shows(`Approval ${id}: not sent. The program was suspended: decide again.`)
    await tmux.shows(/SBIN.*pending, refused/)
    await quit()
    expect(await rejections()).toEqual([])
  })

  it('takes a pasted text as text, and not as keys', async () => {
    const { tmux, ask, quit } = await opened()
    const id = await ask()
    await tmux.paste('quick\nnote')
    await tmux.shows(`Reason to reject ${id}: quick note`)
    await tmux.key('Escape')
    await tmux.shows('a approve')
    await tmux.paste('aqA')
    await tmux.key('?')
    await tmux.shows('approve the order or the marked ones')
    await tmux.key('Escape')
    await tmux.shows('a approve')
    await quit()
  })

  // From here on a sign-in of the user needs a code.
  it('begins with a sign-in when none is stored: password, then code', async () => {
    const { home, tmux, quit } = await opened()
    const app = await Authenticator.of(daemon)
    await app.turnOn(daemon)
    rmSync(join(home, 'session.json'))
    await tmux.svc('tui')
    await tmux.shows(/Not signed in at/)
    await tmux.shows(/> User name/)
    await tmux.type(USERNAME)
    await tmux.key('Enter')
    await tmux.shows(/> Password/)
    await tmux.type('wrong')
    await tmux.key('Enter')
    await tmux.shows('Invalid')
    await tmux.key('C-u')
    await tmux.type(PASSWORD)
    await tmux.shows('•'.repeat(PASSWORD.length))
    await tmux.key('Enter')
    await tmux.shows(/> Authenticator code/)
    await tmux.type(await app.next())
    await tmux.key('Enter')
    await tmux.shows(/^ LIVE {2}connected/m)
    await tmux.shows('[day]')
    expect(readSecret(home, 'session.json')?.username).toBe(USERNAME)
    await quit()
    await tmux.svc('whoami')
    await tmux.shows(new RegExp(`username\\s+${USERNAME}`, 'i'))
  })
})
