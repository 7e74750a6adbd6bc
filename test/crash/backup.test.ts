import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exchangeLedger } from '../../src/core/brokers/simulated/index.js'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { chance, rounds } from '../support/chance/chance.js'
import { approvalsOf, journalOf, queueOne } from '../support/desk/desk-state.js'
import { pause } from '../support/eventually.js'
import { damages, query } from '../support/files/files.js'
import { runCommand, startCommand } from '../support/process/commands.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'
import { History } from '../support/traffic/history.js'
import { Traffic } from '../support/traffic/traffic.js'

/* Promise 14: a backup of a running service restores to a state with every order acknowledged before it. */

const ORDERS = rounds(200, 10_000)
const BACKUPS = rounds(1, 40)
const CLIENTS = 8

interface Made {
  id: string
  /** The orders that were acknowledged before the backup was requested. */
  acknowledged: ReadonlySet<string>
}

async function make(daemon: DaemonProcess, history: History): Promise<Made> {
  const acknowledged = new Set(
    history.operations.flatMap(({ outcome, orderId }) => (outcome === 'ok' && orderId ? [orderId] : [])),
  )
  const { status, body } = await daemon.request<{ data: { id: string } }>('POST', '/backups')
  expect(status).toBe(200)
  return { id: body.data.id, acknowledged }
}

const restore = (daemon: DaemonProcess, id: string, env = {}) =>
  runCommand(daemon, ['restore', id, '--replace'], env)
/** Returns the names in the folder of the backups; none before the first backup creates it. */
function backupsOf({ home }: DaemonProcess): string[] {
  const folder = join(home, 'backups')
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Stops the daemon, restores a backup and starts it again. */
async function restored(daemon: DaemonProcess, id: string): Promise<void> {
  await daemon.kill()
  const { code, output } = await restore(daemon, id)
  expect(code, output).toBe(0)
  await daemon.start()
  await daemon.signIn()
}

it.each(['live', 'analyze'] as const)(
  `backups during ${ORDERS} %s orders restore every order acknowledged before them`,
  { timeout: rounds(600_000) },
  async (mode) => {
    const daemon = await DaemonProcess.ready()
    onTestFinished(() => daemon.dispose())
    await daemon.analyze(mode === 'analyze')
    const history = new History()
    const fields = (index: number) => ({ quantity: 1 + (index % 9) })
    const traffic = new Traffic({ daemon, history, clients: CLIENTS, orders: ORDERS, fields })
    const running = traffic.run()
    const made: Made[] = []
    for (let round = 1; round <= BACKUPS; round++) {
      await traffic.reached(Math.floor((ORDERS * round) / (BACKUPS + 1)))
      made.push(await make(daemon, history))
    }
    await running

    for (const { id, acknowledged } of made) {
      expect(acknowledged.size).toBeGreaterThan(0)
      await restored(daemon, id)
      const known = await orderIdsOf(daemon, mode)
      expect([...acknowledged].filter((orderId) => !known.has(orderId))).toEqual([])
      expect(await damages(daemon.home)).toEqual([])
      if (mode === 'live') await expectBooksToAgree(daemon)
      const { code, body } = await daemon.place()
      expect([code, body.message]).toEqual([
        'kill_switch',
        expect.stringContaining('Restored from the backup of'),
      ])
    }
  },
)

async function orderIdsOf({ home }: DaemonProcess, mode: 'live' | 'analyze'): Promise<Set<string>> {
  const [file, table] = mode === 'live' ? ['svc.db', 'order_journal'] : ['sandbox.db', 'sandbox_orders']
  const rows = await query<{ order_id: string }>(join(home, file), `select order_id from ${table}`)
  return new Set(rows.map(({ order_id }) => order_id))
}

/** Every order of the restored exchange is in the restored journal, and the other way round. */
async function expectBooksToAgree({ home }: DaemonProcess): Promise<void> {
  const journal = await query<{ order_ref: string; order_id: string | null }>(
    join(home, 'svc.db'),
    'select order_ref, order_id from order_journal',
  )
  const ledger = await exchangeLedger(join(home, 'brokers/simulated'))
  const tags = new Set(journal.map(({ order_ref }) => order_ref))
  const ids = new Set(ledger.map(({ orderId }) => orderId))
  expect(ledger.filter(({ tag }) => !tags.has(tag))).toEqual([])
  expect(journal.filter(({ order_id }) => order_id !== null && !ids.has(order_id))).toEqual([])
}

it('kills of the daemon during backups leave whole backups only', { timeout: rounds(300_000) }, async () => {
  const random = chance('kill, backup')
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  const history = new History()
  for (let round = 0; round < rounds(2, 200); round++) {
    const making = make(daemon, history).catch(() => undefined)
    await pause(random.between(0, 120))
    await daemon.kill()
    await making
    for (const id of backupsOf(daemon).filter((name) => !name.startsWith('.'))) {
      const { code, output } = await runCommand(daemon, ['backup', 'verify', id])
      expect(code, output).toBe(0)
    }
    await daemon.start()
  }
  await make(daemon, history)
  expect(backupsOf(daemon).filter((name) => name.startsWith('.'))).toEqual([])
})

it('a daemon killed in the middle of a copy leaves no backup', async () => {
  const daemon = DaemonProcess.prepared()
  onTestFinished(() => daemon.dispose())
  await daemon.start({ env: { SVC_CRASH_AT: 'backup.midCopy' } })
  await daemon.place()
  await daemon.request('POST', '/backups').catch(() => undefined)
  await daemon.exited()
  const { code, output } = await runCommand(daemon, ['backup', 'list', '-q'])
  expect([code, output]).toEqual([0, ''])
  await daemon.start()
  await make(daemon, new History())
  expect(backupsOf(daemon)).toHaveLength(1)
})

describe('a killed restore', () => {
  /** A home with one order in its backup and two in its databases. */
  async function scene() {
    const daemon = await DaemonProcess.ready()
    onTestFinished(() => daemon.dispose())
    await daemon.place()
    const { id } = await make(daemon, new History())
    await daemon.place()
    await daemon.kill()
    return { daemon, id }
  }

  const passes = (number: number) => Array.from({ length: number }, (_, index) => index + 1)
  const POINTS = [
    ...passes(4).map((pass) => ({ point: `restore.midStage:${pass}`, orders: 2 })),
    { point: 'restore.afterDecision', orders: 1 },
    ...passes(8).map((pass) => ({ point: `restore.midSwap:${pass}`, orders: 1 })),
  ]

  it.each(casesFor(POINTS, ({ point }) => ['restore.midStage:4', 'restore.midSwap:3'].includes(point)))(
    'at $point leaves $orders order(s): the old home or the new one',
    async ({ point, orders }) => {
      const { daemon, id } = await scene()
      const { signal, output } = await restore(daemon, id, { SVC_CRASH_AT: point })
      expect(signal, output).toBe('SIGKILL')
      await daemon.start()
      // A restored home has ended all sessions.
      await daemon.signIn()
      expect(await journalOf(daemon)).toHaveLength(orders)
      expect(await damages(daemon.home)).toEqual([])
      await expectBooksToAgree(daemon)
      const { body } = await daemon.request<{ data: { kill_switch: boolean } }>('GET', '/status')
      expect(body.data.kill_switch).toBe(orders === 1)
      expect(readdirSync(daemon.home).filter((name) => name.startsWith('.restore'))).toEqual([])
    },
  )

  testInTorture(
    'at any moment, and again in the start that finishes it, leaves one of the two',
    async () => {
      const random = chance('kill, restore')
      const { daemon, id } = await scene()
      for (let round = 0; round < rounds(4, 200); round++) {
        const child = startCommand(daemon, ['restore', id, '--replace'])
        await pause(random.between(150, 700))
        child.process.kill('SIGKILL')
        await child.exited
        await daemon.start({ expectFailure: true })
        await pause(random.between(0, 600))
        await daemon.kill()
      }
      await daemon.start()
      await daemon.signIn()
      expect([1, 2]).toContain((await journalOf(daemon)).length)
      await expectBooksToAgree(daemon)
      expect(await damages(daemon.home)).toEqual([])
    },
    6_000_000,
  )
})

it('a restore is refused while the daemon runs, and with other secrets', async () => {
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  const { id } = await make(daemon, new History())
  const running = await restore(daemon, id)
  expect([running.code, running.output]).toEqual([
    5,
    expect.stringContaining('Another svc daemon is running'),
  ])
  await daemon.kill()
  const other = await restore(daemon, id, { APP_KEY: 'k'.repeat(64) })
  expect([other.code, other.output]).toEqual([2, expect.stringContaining('another APP_KEY than')])
  const without = await runCommand(daemon, ['restore', id])
  expect([without.code, without.output]).toEqual([5, expect.stringContaining('--replace')])
  expect(existsSync(join(daemon.home, 'restored.json'))).toBe(false)
})

describe('orders sent after the backup', () => {
  async function scene() {
    const kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
    onTestFinished(() => kite.dispose())
    const daemon = await kite.desk()
    onTestFinished(() => daemon.dispose())
    return { kite, daemon }
  }
  const KEY = { 'idempotency-key': 'after-the-backup' }

  it('are in the broker’s book and not in the journal; no retry sends one a second time by itself', async () => {
    const { kite, daemon } = await scene()
    const { body: before } = await daemon.place({ quantity: 1 })
    const { id } = await make(daemon, new History())
    const { body: after } = await daemon.place({ quantity: 2 }, KEY)
    await restored(daemon, id)
    expect((await journalOf(daemon)).map(({ orderid }) => orderid)).toEqual([before.orderid])
    const { data } = (await daemon.api<{ data: { orders: { orderid: string }[] } }>('orderbook')).body
    expect(data.orders.map(({ orderid }) => orderid).sort()).toEqual([before.orderid, after.orderid].sort())
    expect((await daemon.place({ quantity: 2 }, KEY)).code).toBe('kill_switch')
    expect(await kite.placed()).toHaveLength(2)
    await daemon.crash()
    expect((await daemon.place({ quantity: 2 }, KEY)).code).toBe('kill_switch')
    await daemon.request('POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' })
    expect((await daemon.place({ quantity: 3 })).status).toBe(200)
    await daemon.crash()
    expect((await daemon.place({ quantity: 4 })).status).toBe(200)
  })

  it('may include one that was not sent yet at that moment: it is in doubt, not rejected', async () => {
    const { kite, daemon } = await scene()
    await daemon.kill()
    await daemon.start({ env: { SVC_CRASH_AT: 'orders.intake.afterCommit' } })
    await daemon.place({ quantity: 1 }, KEY).catch(() => undefined)
    await daemon.exited()
    writeFileSync(join(daemon.home, 'restored.json'), '{"id":"a","created_at":"2026-11-20T05:30:00.000Z"}')
    await daemon.start()
    await daemon.signIn()
    expect(await journalOf(daemon)).toMatchObject([{ state: 'unknown' }])
    expect((await daemon.place({ quantity: 1 }, KEY)).code).toBe('outcome_unknown')
    expect(await kite.placed()).toEqual([])
  })

  testInTorture(
    'include approvals: a restored one is pending again, and is not executed a second time',
    async () => {
      const { kite, daemon } = await scene()
      await daemon.orderMode('semi_auto')
      await queueOne(daemon, { quantity: 3 })
      const { id } = await make(daemon, new History())
      expect((await daemon.request('POST', '/action-center/approve/1')).status).toBe(200)
      await restored(daemon, id)
      expect(await approvalsOf(daemon)).toMatchObject([{ status: 'pending' }])
      expect((await daemon.request('POST', '/action-center/approve/1')).code).toBe('kill_switch')
      expect(await kite.placed()).toHaveLength(1)
    },
  )
})

it('a list of backups on a disk that is not mounted says so', async () => {
  const daemon = DaemonProcess.prepared()
  onTestFinished(() => daemon.dispose())
  const parent = join(daemon.home, 'no-disk')
  const { code, output } = await runCommand(daemon, ['backup', 'list'], {
    BACKUP_DIR: join(parent, 'backups'),
  })
  expect([code, output]).toEqual([4, expect.stringContaining(`${parent} does not exist`)])
  expect((await runCommand(daemon, ['backup', 'list'])).code).toBe(0)
})
