import { describe, expect, it, onTestFinished } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { Tmux, tmuxMissing } from '../../support/tmux.js'

const missing = tmuxMissing()
/** The stream of prices never opens, so that prices are polled after a second. */
const NO_STREAM = {
  SIM_FAULTS: JSON.stringify([{ on: ['feed'], kind: 'refuse_connection' }]),
  STRATEGY_TICK_STALE_THRESHOLD_SEC: '1',
  STRATEGY_TICK_POLL_INTERVAL_SEC: '1',
}
const desk = commandDesk()

const COMMON = {
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  product: 'MIS',
  // It has no exit time, which would have passed in the last minute of a day.
  strategy_type: 'positional',
}
const CASH = { segment: 'cash', lots: 3 }
const PAIR = {
  name: 'Pair',
  ...COMMON,
  legs: [
    { ...CASH, position: 'B', sl_pts: 500 },
    { ...CASH, position: 'S', sl_pts: 500 },
  ],
}
const SIGNALS = {
  name: 'Screen test',
  strategy_kind: 'signal',
  ...COMMON,
  legs: [{ symbol: 'SBIN', exchange: 'NSE', segment: 'cash', side: 'both', qty: 1 }],
}

/** Opens a terminal of 80 by 24 with the screen on it. */
async function watching(): Promise<Tmux> {
  const tmux = await Tmux.opened({
    HOME: desk.daemon.home,
    SVC_HOME: desk.terminal.home,
    SVC_URL: desk.daemon.url,
    SVC_TOKEN: desk.daemon.token,
    NO_COLOR: '1',
    ...(process.env.E2E_RUN && { E2E_RUN: process.env.E2E_RUN }),
  })
  await tmux.svc('strategy watch')
  await tmux.shows('connected')
  return tmux
}

async function created(strategy: object): Promise<number> {
  const { status, body } = await desk.daemon.request<{ data: { id: number } }>(
    'POST',
    '/strategy/api/strategies',
    strategy,
  )
  expect([status, body.message]).toEqual([201, expect.any(String)])
  return body.data.id
}

async function quits(tmux: Tmux): Promise<void> {
  await tmux.key('q')
  // Text that arrives together with the key would be one press of an unknown key.
  await tmux.left()
  await tmux.type('echo "exit $?"')
  await tmux.key('Enter')
  await tmux.shows('exit 0')
}

/** Kills the daemon under the screen, and starts it again at the same address. */
async function restarted(tmux: Tmux, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const port = Number(new URL(desk.daemon.url).port)
  await desk.daemon.kill()
  await tmux.shows('NOT CONNECTED')
  await desk.daemon.start({ port, env })
  await tmux.shows(/ connected [\s\S]*running/)
}

describe.skipIf(missing)(`svc strategy watch on a terminal${missing ? ` (${missing})` : ''}`, () => {
  it('locks and unlocks a webhook, shows the change of another client, survives a restart, and quits', async () => {
    const id = await created(SIGNALS)
    const tmux = await watching()
    await tmux.shows(new RegExp(`^> +${id} +Screen test .*stopped`, 'm'))
    await tmux.shows(/info +Strategy 'Screen test' created/)
    await tmux.key('s')
    await tmux.shows('A signal strategy has no start')
    await tmux.key('K')
    await tmux.shows(`Lock the webhook of ${id} Screen test?`)
    await tmux.key('y')
    await tmux.shows(/Screen test .*locked/)
    await tmux.shows(/critical +Kill switch engaged/)
    await desk.daemon.request('POST', `/strategy/api/strategies/${id}/unlock_webhook`)
    await tmux.shows(/info +Webhook unlocked/)
    await restarted(tmux)
    await quits(tmux)
  })

  it('starts a run, shows polled prices, streamed ones after a restart, closes one leg, then kills the rest', async () => {
    const id = await created(PAIR)
    const tmux = await watching()
    await restarted(tmux, NO_STREAM)
    await tmux.shows(new RegExp(`^> +${id} +Pair .*stopped`, 'm'))
    await tmux.key('s')
    await tmux.shows(`Start ${id} Pair. In which mode?`)
    await tmux.key('s')
    await tmux.shows('in the sandbox?')
    await tmux.key('y')
    await tmux.shows(/has started in sandbox mode/)
    await tmux.shows(/1 +SBIN +BUY +3 .* polling *$/m)
    await restarted(tmux)
    await tmux.shows(/1 +SBIN +BUY +3 .* ws *$/m)
    await tmux.key('Enter')
    await tmux.shows(/L lock {2}K kill {2}esc back {2}\? keys$/m)
    await tmux.key('j')
    await tmux.key('c')
    await tmux.shows(`Close leg 2 of ${id} Pair in the sandbox?`)
    await tmux.key('y')
    await tmux.shows(/Closing of leg 2 of .*: the exit is sent; run \d+ goes on/)
    await tmux.shows(/2 +SBIN +SELL +0 +closed/)
    await tmux.key('K')
    await tmux.shows('Type kill to confirm')
    await tmux.type('kill')
    await tmux.key('Enter')
    await tmux.shows(/Pair: last run \d+: manual/)
    await tmux.key('Escape')
    await tmux.shows(/Pair .*stopped .*locked/)
    const orders = await desk.terminal.json<{ kind: string; status: string }[]>(`strategy orders ${id}`)
    expect(orders.map(({ kind, status }) => [kind, status])).toEqual([
      ['entry', 'complete'],
      ['entry', 'complete'],
      ['exit_leg_manual', 'complete'],
      ['exit_close_all', 'complete'],
    ])
    await quits(tmux)
  })
})

describe.skipIf(missing)('on a terminal, besides', () => {
  it('a live start is reviewed and confirmed with the word, and its orders reach the broker', async () => {
    const id = await created({ ...PAIR, name: 'Live pair' })
    await desk.daemon.request('POST', `/strategy/api/strategies/${id}/live`, { enabled: true })
    await desk.daemon.analyze(false)
    onTestFinished(async () => void (await desk.daemon.analyze(true)))
    const tmux = await watching()
    await tmux.shows(new RegExp(`^> +${id} +Live pair .*stopped`, 'm'))
    await tmux.key('s')
    await tmux.shows('In which mode?')
    await tmux.key('l')
    await tmux.shows(`Start ${id} Live pair with LIVE orders at simulated?`)
    await tmux.shows(/leg 1: BUY .*\n.*leg 2: SELL /)
    await tmux.type('no')
    await tmux.key('Enter')
    await tmux.shows('enter details')
    const orders = () => desk.terminal.json<{ status: string }[]>(`strategy orders ${id}`)
    expect(await orders()).toEqual([])
    await tmux.key('s')
    await tmux.shows('In which mode?')
    await tmux.key('l')
    await tmux.shows('Type live to confirm')
    await tmux.type('live')
    await tmux.key('Enter')
    await tmux.shows(/run \d+ has started in live mode/)
    await tmux.shows(/Live pair .*running +live/)
    await expect
      .poll(async () => (await orders()).map(({ status }) => status))
      .toEqual(['complete', 'complete'])
    await tmux.key('x')
    await tmux.shows('close every position it holds with LIVE orders')
    await tmux.key('y')
    await tmux.shows(/Stop of \d+: run \d+ (is stopped|waits for its exits)/)
    await tmux.shows(/Live pair .*stopped/)
    await quits(tmux)
  })

  it('Ctrl-Z gives the terminal to the shell; a return finds the screen, also in another size', async () => {
    const tmux = await watching()
    await tmux.shows(/LAST {2}STOP|FEED/)
    await tmux.key('C-z')
    await tmux.shows('Stopped')
    expect(await tmux.fact('alternate_on')).toBe('0')
    await tmux.resize(120, 30)
    await tmux.type('fg')
    await tmux.key('Enter')
    await tmux.shows(/WEBHOOK +LIVE ALLOWED/)
    expect(await tmux.fact('alternate_on')).toBe('1')
    await tmux.key('?')
    await tmux.shows('stop the run, and close every position it holds')
    await tmux.key('x')
    await tmux.shows('enter details')
    await quits(tmux)
    expect(await tmux.fact('alternate_on')).toBe('0')
  })
})

it('strategy close --leg says that the run goes on, and strategy stop that it is stopped', async () => {
  const id = await created({ ...PAIR, name: 'By hand' })
  const { terminal } = desk
  expect((await terminal.svc(`strategy start ${id} --now`)).exit).toBe(0)
  const closed = await terminal.svc(`strategy close ${id} --leg 2`)
  expect([closed.exit, closed.stderr]).toEqual([
    0,
    expect.stringMatching(/The sandbox run \d+ goes on: svc strategy orders/),
  ])
  const again = await terminal.svc(`strategy close ${id} --leg 2`)
  expect([again.exit, again.stderr]).toEqual([5, expect.stringContaining('That leg is not open.')])
  const stopped = await terminal.svc(`strategy stop ${id}`)
  expect([stopped.exit, stopped.stderr]).toEqual([
    0,
    expect.stringMatching(/The sandbox run \d+ is stopped\./),
  ])
  expect(stopped.stdout).toContain('sandbox')
  expect(stopped.stdout).not.toContain('live')
})
