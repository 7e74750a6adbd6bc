import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { approvalsOf, queueOne } from '../../support/desk/desk-state.js'
import { Tmux, tmuxMissing } from '../../support/tmux.js'

const missing = tmuxMissing()
const desk = commandDesk()
beforeAll(async () => {
  await desk.daemon.analyze(false)
  await desk.daemon.orderMode('semi_auto')
})
afterAll(() => desk.daemon.orderMode('auto'))

const queue = (symbol: string) =>
  queueOne(desk.daemon, { symbol, pricetype: 'LIMIT', price: 100, quantity: 10, product: 'MIS' })

/** Opens a terminal with a line of earlier work on it, and the queue on top. */
async function watching(): Promise<Tmux> {
  // The gateway does not forward WebSockets.
  const tmux = await Tmux.opened({
    HOME: desk.daemon.home,
    SVC_HOME: desk.terminal.home,
    SVC_URL: desk.daemon.url,
    SVC_TOKEN: desk.daemon.token,
    ...(process.env.E2E_RUN && { E2E_RUN: process.env.E2E_RUN }),
  })
  await tmux.type('echo earlier-$((1 + 1))')
  await tmux.key('Enter')
  await tmux.shows('earlier-2')
  await tmux.svc('approval watch')
  await tmux.shows('connected')
  return tmux
}

/** Checks that the shell has its terminal back: its text, its cursor, and keys that are echoed. */
async function expectRestored(tmux: Tmux, exit: number): Promise<void> {
  await tmux.left()
  await tmux.shows('earlier-2')
  expect([await tmux.fact('alternate_on'), await tmux.fact('cursor_flag')]).toEqual(['0', '1'])
  await tmux.type('echo "exit $?; $(stty -a | grep -o -- "-*icanon")"')
  await tmux.key('Enter')
  await tmux.shows(`exit ${exit}; icanon`)
}

describe.skipIf(missing)(`svc approval watch on a terminal${missing ? ` (${missing})` : ''}`, () => {
  it('approves, rejects with a reason, follows what another client approves, and quits', async () => {
    const [first, second, third] = [await queue('SBIN'), await queue('INFY'), await queue('TCS')]
    const tmux = await watching()
    await tmux.shows(new RegExp(`^> +${third} .*TCS.*pending`, 'm'))
    await tmux.key('a')
    await tmux.shows('Approve 1 order, ₹1,000.00 in LIVE mode at simulated?')
    expect((await approvalsOf(desk.daemon)).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
      'pending',
    ])
    await tmux.key('y')
    await tmux.shows(/TCS.*in 3 s, u undoes/)
    await tmux.shows(new RegExp(`^> +${second} `, 'm'))
    await tmux.key('r')
    await tmux.shows(`Reason to reject ${second}:`)
    await tmux.type('too large')
    await tmux.key('Enter')
    await tmux.shows(/INFY.*rejected in 3 s, u undoes/)
    await desk.daemon.request('POST', `/action-center/approve/${first}`)
    await tmux.shows(/^ *\[pending [01]\]/m)
    // The program sends what was decided before it ends.
    await tmux.key('q')
    await expectRestored(tmux, 0)
    expect((await approvalsOf(desk.daemon)).map(({ status }) => status)).toEqual([
      'approved',
      'rejected',
      'approved',
    ])
    const { rejected_reason: reason } = await desk.terminal.json(`approval show ${second}`)
    expect(reason).toBe('too large')
  })

  it('gives the terminal back after Ctrl-C and SIGTERM, and to the shell during Ctrl-Z', async () => {
    await queue('SBIN')
    const tmux = await watching()
    await tmux.shows('SBIN')
    await tmux.key('C-z')
    await tmux.shows('Stopped')
    expect(await tmux.fact('alternate_on')).toBe('0')
    await tmux.type('fg')
    await tmux.key('Enter')
    await tmux.shows(/SBIN.*pending/)
    await tmux.key('C-c')
    await expectRestored(tmux, 130)
    await tmux.svc('approval watch &')
    await tmux.type('fg')
    await tmux.key('Enter')
    await tmux.shows('connected')
    await tmux.key('C-z')
    await tmux.shows('Stopped')
    await tmux.type('kill -TERM %1; fg')
    await tmux.key('Enter')
    await expectRestored(tmux, 143)
  })

  it('survives a restart of the daemon, and a resize', async () => {
    const id = await queue('SBIN')
    const tmux = await watching()
    await tmux.shows(new RegExp(`^> +${id} `, 'm'))
    const port = Number(new URL(desk.daemon.url).port)
    await desk.daemon.kill()
    await tmux.shows('NOT CONNECTED')
    await tmux.resize(120, 30)
    await desk.daemon.start({ port })
    await tmux.shows(/ connected [\s\S]*waiting/)
    await tmux.shows(new RegExp(`^> +${id} .*pending`, 'm'))
    await tmux.key('q')
    await expectRestored(tmux, 0)
  })
})
