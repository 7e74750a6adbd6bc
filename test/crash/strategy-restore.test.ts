import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exchangeLedger } from '../../src/core/brokers/simulated/index.js'
import { testInTorture } from '../support/chance/cases.js'
import { type RunMode, type Strategy, StrategyProcess } from '../support/desk/strategy-process.js'
import { pause } from '../support/eventually.js'
import { query } from '../support/files/files.js'
import { type Finished, runCommand } from '../support/process/commands.js'

/*
 * svc restore while a run was open. The account of a sandbox run is restored with it, so it goes on. A broker knows nothing
 * of the restore: a live run is reserved, and nothing is sent for it.
 */
const BUY = {
  strategy_kind: 'batch',
  strategy_type: 'positional',
  product: 'MIS',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  universe_tab: 'stocks_fno',
  legs: [{ segment: 'cash', position: 'B', lots: 10 }],
}
/** A run tries refused exits again every five seconds. */
const A_ROUND_MS = 6_000

interface Scene {
  desk: StrategyProcess
  strategy: Strategy
  svc(...args: string[]): Promise<Finished>
  sent(): Promise<number>
}

/** A run that holds ten shares in the backup and nothing now, restored from the backup. */
async function restored(mode: RunMode): Promise<Scene> {
  const desk = await StrategyProcess.open(mode)
  onTestFinished(() => desk.close())
  const { daemon } = desk
  const exchange = join(daemon.home, 'brokers', 'simulated')
  const strategy = await desk.create(BUY)
  expect((await strategy.start()).status).toBe(200)
  await strategy.until((orders) => orders[0]?.status === 'complete', 'the entry is filled')
  const { body } = await daemon.request<{ data: { id: string } }>('POST', '/backups')
  await strategy.end()
  await daemon.signal('SIGTERM')
  const svc = (...args: string[]) => runCommand(daemon, args, { SVC_TOKEN: daemon.token })
  const { code, output } = await svc('restore', body.data.id, '--replace')
  expect(code, output).toBe(0)
  if (mode === 'live') {
    // A broker goes on with the book of now.
    const [aside] = readdirSync(daemon.home).filter((name) => name.startsWith('before-restore-'))
    cpSync(join(daemon.home, aside ?? '', 'brokers', 'simulated'), exchange, { recursive: true })
  }
  const scene = { desk, strategy, svc, sent: async () => (await exchangeLedger(exchange)).length }
  await daemon.start()
  await daemon.signIn()
  return scene
}

const stateOf = async ({ desk, strategy }: Scene) =>
  (await desk.daemon.request<{ data: { run_state: string | null } }>('GET', strategy.path)).body.data
    .run_state

it('a live run that was open in the backup is reserved: nothing is sent until a person releases it', async () => {
  const scene = await restored('live')
  const { desk, strategy, svc } = scene
  expect(await scene.sent()).toBe(2)
  expect(await stateOf(scene)).toBe('reserved')
  const events = await svc('strategy', 'events', String(strategy.id), '--severity', 'critical', '--json')
  expect(events.output).toMatch(/recovery_failed.*restored from the backup of/s)
  const stop = await svc('strategy', 'stop', String(strategy.id))
  expect(stop.code).toBe(5)
  expect(stop.output).toContain(`svc strategy release ${strategy.id}`)
  const kill = await desk.daemon.request<{ message: string }>('POST', '/risk/kill-switch', { on: true })
  expect(kill.body.message).toContain(`run 1 of strategy ${strategy.id}`)
  await pause(A_ROUND_MS)
  await desk.daemon.crash()
  expect(await stateOf(scene)).toBe('reserved')
  await pause(A_ROUND_MS)
  expect(await scene.sent()).toBe(2)

  const release = [
    'strategy',
    'release',
    String(strategy.id),
    '--reason',
    'was closed before the restore',
    '--yes',
  ]
  const released = await svc(...release)
  expect(released.code, released.output).toBe(0)
  expect(await strategy.status()).toBe('stopped')
  await desk.daemon.crash()
  await pause(A_ROUND_MS)
  expect(await scene.sent()).toBe(2)
  const again = await svc(...release)
  expect(again.code, again.output).toBe(5)
})

testInTorture('a release that a kill interrupts leaves the run reserved, and is repeated', async () => {
  const scene = await restored('live')
  const { desk, strategy } = scene
  await desk.arm('strategies.end.beforeCommit')
  const path = `${strategy.path}/runs/1/release`
  const body = { reason: 'closed by hand', closed_by_hand: true }
  await desk.daemon.request('POST', path, body).catch(() => undefined)
  await desk.died()
  expect(await stateOf(scene)).toBe('reserved')
  expect((await desk.daemon.request('POST', path, body)).status).toBe(200)
  expect(await strategy.status()).toBe('stopped')
  const told = `select count(*) as n from strategy_events where kind = 'run_stopped' and message like '%released by%'`
  expect(await query(join(desk.daemon.home, 'svc.db'), told)).toEqual([{ n: 1 }])
})

it('a sandbox run that was open in the backup goes on with the account of the backup', async () => {
  const scene = await restored('sandbox')
  expect(await stateOf(scene)).toBe('running')
  expect(await scene.strategy.held()).toBe(10)
  await scene.strategy.end()
  await scene.strategy.expectFlat()
})
