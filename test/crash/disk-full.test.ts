import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { casesFor } from '../support/chance/cases.js'
import { journalOf } from '../support/desk/desk-state.js'
import { eventually, pause } from '../support/eventually.js'
import { damages, query } from '../support/files/files.js'
import { fill, mountSmallDisk, noMounts, reasonAgainst, unmount } from '../support/files/small-disk.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'
import { lostOrPhantom } from '../support/traffic/checker.js'
import { History } from '../support/traffic/history.js'

/*
 * Promise 12: when the disk is full or fails, orders are refused, reads work, no file is damaged, and orders
 * work again when there is space. There are two ways to get a full disk; the test skips the one that this
 * machine does not allow.
 */
const CLIENTS = 8
/** The number of orders after which a full disk must have been noticed. */
const MANY = 6000

interface Trouble {
  home: string
  begin: (daemon: DaemonProcess) => void
  end: (daemon: DaemonProcess) => void
}

interface Way {
  name: string
  /** The reason why this machine cannot do it. */
  missing: string | undefined
  prepare: () => Trouble
}

function limitFileSize(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`], { stdio: 'pipe' })
}

const WAYS: readonly Way[] = [
  {
    name: 'the disk is full',
    missing: noMounts,
    prepare: () => {
      const disk = mountSmallDisk()
      onTestFinished(() => unmount(disk))
      const home = join(disk, 'home')
      mkdirSync(home, { mode: 0o700 })
      return {
        home,
        begin: () => fill(join(disk, 'filler')),
        end: () => rmSync(join(disk, 'filler')),
      }
    },
  },
  {
    name: 'writing fails (file size limit)',
    missing: reasonAgainst(() => limitFileSize(process.pid, 'unlimited')),
    prepare: () => ({
      home: mkdtempSync(join(tmpdir(), 'svc-e2e-')),
      begin: ({ pid, home }) => {
        const logs = ['svc.db-wal', 'sandbox.db-wal'].map((name) => statSync(join(home, name)).size)
        limitFileSize(pid, Math.max(...logs) + 100_000)
      },
      end: ({ pid }) => limitFileSize(pid, 'unlimited'),
    }),
  },
]

interface Desk {
  daemon: DaemonProcess
  existing: () => Promise<{ orderId: string; operation: string | undefined }[]>
}

const DESKS: readonly { market: string; open: (home: string) => Promise<Desk> }[] = [
  {
    market: 'simulated',
    open: async (home) => {
      const daemon = DaemonProcess.prepared({}, home)
      onTestFinished(() => daemon.dispose())
      await daemon.start()
      await daemon.analyze(true)
      const file = join(home, 'sandbox.db')
      return {
        daemon,
        existing: () => query(file, 'select order_id as orderId, strategy as operation from sandbox_orders'),
      }
    },
  },
  {
    market: 'live',
    open: async (home) => {
      const kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
      onTestFinished(() => kite.dispose())
      const daemon = DaemonProcess.prepared(kite.env, home)
      onTestFinished(() => daemon.dispose())
      await daemon.start()
      await kite.connect(daemon)
      const file = join(home, 'svc.db')
      return {
        daemon,
        existing: async () => {
          const rows = await query<{ ref: string; strategy: string }>(
            file,
            `select order_ref as ref, request ->> 'strategy' as strategy from order_journal`,
          )
          const strategies = new Map(rows.map(({ ref, strategy }) => [ref, strategy]))
          return (await kite.placed()).map(({ orderId, tag }) => ({
            orderId,
            operation: strategies.get(tag),
          }))
        },
      }
    },
  },
]

const READS = ['orderbook', 'positionbook', 'tradebook', 'funds', 'ping']

/** The time that a client waits when the limit of the broker is reached, which a long trouble with few refusals does. */
const LIMIT_PAUSE_MS = 1_000

/** Returns the number of orders that were refused for the disk. */
const refusedIn = ({ operations }: History) =>
  operations.filter(({ answer = '' }) => answer.includes('The disk is full or failing')).length

/** Places one order, every second one with a key, and records its outcome. @returns the status */
async function placeOne(daemon: DaemonProcess, history: History, client: number): Promise<number> {
  const number = history.operations.length
  const operation = history.invoke({ id: `order-${number}`, client })
  const headers: Record<string, string> = number % 2 === 0 ? {} : { 'idempotency-key': operation.id }
  const { status, text, code, body } = await daemon.place({ strategy: operation.id, quantity: 1 }, headers)
  const outcome = status === 200 ? 'ok' : status === 504 ? 'info' : 'fail'
  history.end(operation, outcome, { answer: text, ...(status === 200 && { orderId: String(body.orderid) }) })
  if (code === 'rate_limited') await pause(LIMIT_PAUSE_MS)
  else if (status !== 200) expect([status, code, text]).toEqual([507, 'storage_full', text])
  return status
}

/** Runs eight clients until `enough` returns true. */
async function load(daemon: DaemonProcess, history: History, enough: () => boolean): Promise<void> {
  const client = async (_: unknown, index: number) => {
    while (!enough() && history.operations.length < MANY) await placeOne(daemon, history, index)
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

const readiness = async (daemon: DaemonProcess) => {
  const { status, body } = await daemon.request<{ status: string; checks: { storage: string } }>(
    'GET',
    '/health/ready',
  )
  return `${status} ${body.status} ${body.checks.storage}`
}
const UNREADY = /^503 fail (svc|sandbox)\.db cannot be written: the disk is full or failing$/

it.skipIf(noMounts)('/health/ready says that the disk is full, also when nobody writes', async () => {
  const disk = mountSmallDisk()
  onTestFinished(() => unmount(disk))
  const home = join(disk, 'home')
  mkdirSync(home, { mode: 0o700 })
  const daemon = DaemonProcess.prepared({}, home)
  onTestFinished(() => daemon.dispose())
  await daemon.start()
  expect(await readiness(daemon)).toBe('200 pass ok')
  fill(join(disk, 'filler'))
  await eventually(async () => UNREADY.test(await readiness(daemon)), 'the full disk is reported')
  rmSync(join(disk, 'filler'))
  await eventually(async () => (await readiness(daemon)) === '200 pass ok', 'it is ready again')
  expect((await daemon.place()).status).toBe(200)
})

describe.each(WAYS)('$name', ({ missing, name, prepare }) => {
  if (missing !== undefined) process.stdout.write(`skipped, not possible here: ${missing}\n`)
  const desks = casesFor(DESKS, ({ market }) => (market === 'simulated') === (name === 'the disk is full'))
  for (const { market, open } of desks) {
    it.skipIf(missing)(
      `${market}: orders are refused with 507, reads go on, nothing is lost or damaged`,
      async () => {
        const trouble = prepare()
        const { daemon, existing } = await open(trouble.home)
        const history = new History()
        await load(daemon, history, () => history.count('ok') >= 20)
        expect(refusedIn(history)).toBe(0)

        trouble.begin(daemon)
        await load(daemon, history, () => refusedIn(history) >= 50)
        expect(refusedIn(history), 'the trouble was noticed').toBeGreaterThanOrEqual(50)
        for (const name of READS) expect([name, (await daemon.api(name)).status]).toEqual([name, 200])
        expect((await daemon.request('GET', '/status')).status).toBe(200)
        expect((await daemon.request('GET', '/health/live')).status).toBe(200)
        // Orders go on: a checkpoint may free room in a limited file, and only the next writes fill it again.
        const isReported = async () => {
          await placeOne(daemon, history, 0)
          return UNREADY.test(await readiness(daemon))
        }
        await eventually(isReported, 'the trouble is reported')

        trouble.end(daemon)
        await eventually(async () => (await placeOne(daemon, history, 0)) === 200, 'orders work again')
        await eventually(async () => (await readiness(daemon)) === '200 pass ok', 'it is ready again')
        const refused = refusedIn(history)
        const before = history.count('ok')
        await load(daemon, history, () => history.count('ok') >= before + 50)
        expect(refusedIn(history), 'none is refused any more').toBe(refused)

        await daemon.crash()
        expect(lostOrPhantom(history.operations, await existing())).toEqual([])
        expect(await damages(daemon.home)).toEqual([])
        if (market === 'live') {
          const open = async () =>
            (await journalOf(daemon)).filter(({ state }) => ['sending', 'unknown'].includes(state))
          await eventually(async () => (await open()).length === 0, 'nothing is in doubt')
        }
      },
    )
  }
})
