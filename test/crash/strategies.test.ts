import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { casesFor } from '../support/chance/cases.js'
import { eventually } from '../support/eventually.js'
import { damages, query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { PreparedFolder } from '../support/process/prepared-folder.js'

/*
 * Runs of strategies on the real process, which dies in every state of a run. After the restart nothing is doubled and
 * nothing is lost, and a stop ends flat. The books of the broker's journal and of the sandbox prove it.
 */
const STRATEGY = {
  name: 'crash',
  strategy_kind: 'batch',
  strategy_type: 'positional',
  product: 'CNC',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  universe_tab: 'stocks_fno',
  legs: [
    { segment: 'cash', position: 'B', lots: 10 },
    { segment: 'cash', position: 'B', lots: 4 },
  ],
}

type RunMode = 'live' | 'sandbox'

/** The states of a run in which the process dies: the point, and the request that passes it. */
const STATES = [
  { state: 'claimed', point: 'strategies.claim.afterCommit', act: 'start' },
  { state: 'entries stored', point: 'strategies.entries.afterCommit', act: 'start' },
  { state: 'first entry sent', point: 'strategies.entry.beforeRecord', act: 'start' },
  { state: 'last entry sent', point: 'strategies.entry.beforeRecord:2', act: 'start' },
  { state: 'running', point: undefined, act: 'start' },
  { state: 'stop requested', point: 'strategies.exits.afterCommit', act: 'stop' },
  { state: 'first exit sent', point: 'strategies.exit.beforeRecord', act: 'stop' },
  { state: 'last exit sent', point: 'strategies.exit.beforeRecord:2', act: 'stop' },
  { state: 'flat, not finished', point: 'strategies.end.beforeCommit', act: 'stop' },
] as const

const TABLE = STATES.flatMap((one) => (['live', 'sandbox'] as const).map((mode) => ({ ...one, mode })))
/** The states that strategy-states.test.ts does not kill in `npm test`, each in one mode. */
const USUAL = [
  'claimed, live',
  'last entry sent, live',
  'running, live',
  'first exit sent, sandbox',
  'flat, not finished, sandbox',
]
const CASES = casesFor(TABLE, ({ mode, state }) => USUAL.includes(`${state}, ${mode}`))

interface Traded {
  action: string
  quantity: number
}

/** Returns the filled orders of the strategy, from the records of their executor. */
async function traded(daemon: DaemonProcess, mode: RunMode): Promise<Traded[]> {
  const rows =
    mode === 'live'
      ? await query<Traded>(
          join(daemon.home, 'svc.db'),
          `select action, f.quantity from order_journal j join order_fills f on f.order_ref = j.order_ref
           where strategy = 'crash' and f.quantity = (select max(quantity) from order_fills where order_ref = j.order_ref)`,
        )
      : await query<Traded>(
          join(daemon.home, 'sandbox.db'),
          `select action, quantity from sandbox_trades where strategy = 'crash'`,
        )
  return rows.map(({ action, quantity }) => ({ action, quantity: Number(quantity) }))
}

const AT = '/strategy/api/strategies'

/** A home with the strategy, before its run or during it. All tests of a state begin from copies of one. */
const homeOf = (mode: RunMode, isRunning: boolean) =>
  new PreparedFolder(async (home) => {
    const daemon = DaemonProcess.prepared({}, home)
    await daemon.start()
    await daemon.analyze(mode === 'sandbox')
    const made = await daemon.request<{ data: { id: number } }>('POST', AT, STRATEGY)
    expect(made).toMatchObject({ status: 201, body: { data: { id: 1 } } })
    if (mode === 'live')
      expect((await daemon.request('POST', `${AT}/1/live`, { enabled: true })).status).toBe(200)
    if (isRunning) expect((await daemon.request('POST', `${AT}/1/start`, { mode })).status).toBe(200)
    await daemon.kill()
  })
const HOMES = {
  live: { start: homeOf('live', false), stop: homeOf('live', true) },
  sandbox: { start: homeOf('sandbox', false), stop: homeOf('sandbox', true) },
}

async function desk(home: PreparedFolder, env: Record<string, string>): Promise<DaemonProcess> {
  const daemon = DaemonProcess.prepared()
  await home.writeTo(daemon.home)
  onTestFinished(async () => {
    await daemon.kill()
    const damaged = await damages(daemon.home)
    await daemon.dispose()
    expect(damaged).toEqual([])
  })
  await daemon.start({ env })
  return daemon
}

const statusOf = async (daemon: DaemonProcess, path: string) =>
  (await daemon.request<{ data: { status: string } }>('GET', path)).body.data.status

describe.each(CASES)('a run that dies: $state, $mode', ({ act, mode, point }) => {
  it('doubles and loses nothing, and ends flat', async () => {
    const path = `${AT}/1`
    const daemon = await desk(HOMES[mode][act], point ? { SVC_CRASH_AT: point } : {})
    const request =
      act === 'start'
        ? daemon.request('POST', `${path}/start`, { mode })
        : daemon.request('POST', `${path}/stop`)
    await request.catch(() => undefined)
    if (point) expect(await daemon.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    await daemon.crash()

    // A stop of the crashed process goes on by itself. Another run needs one now, unless it ended as never sent.
    if (act === 'start' && (await statusOf(daemon, path)) === 'running') {
      // 409: it ended between the two requests.
      expect([200, 409]).toContain((await daemon.request('POST', `${path}/stop`)).status)
    }
    await eventually(async () => (await statusOf(daemon, path)) === 'stopped', 'the run has ended')
    const trades = await traded(daemon, mode)
    const sum = (action: string) =>
      trades.reduce((total, one) => total + (one.action === action ? one.quantity : 0), 0)
    expect(sum('BUY')).toBe(sum('SELL'))
    // Both legs at most once in and once out.
    expect(trades.map(({ quantity }) => quantity).sort()).toEqual(
      act === 'stop' || point === undefined ? [10, 10, 4, 4] : expect.anything(),
    )
    for (const quantity of [10, 4]) {
      expect(trades.filter((one) => one.quantity === quantity).length % 2).toBe(0)
      expect(trades.filter((one) => one.quantity === quantity).length).toBeLessThanOrEqual(2)
    }
    const unfinished = await query(
      join(daemon.home, 'svc.db'),
      `select id from strategy_orders where status in ('pending', 'open') union all
       select id from strategy_runs where stopped_at is null`,
    )
    expect(unfinished).toEqual([])
  })
})
