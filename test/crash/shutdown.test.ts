import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { approvalsOf } from '../support/desk/desk-state.js'
import { eventually, pause } from '../support/eventually.js'
import { damages, query } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { FakeBrokerProcess } from '../support/process/fake-broker-process.js'
import { FAKE_BROKERS } from '../support/process/fake-brokers.js'
import { leastTime } from '../support/timing.js'
import { executedTwice, lostOrPhantom } from '../support/traffic/checker.js'
import { History } from '../support/traffic/history.js'
import { Traffic } from '../support/traffic/traffic.js'

/* Promises 16 and 20. */
/** The longest time of a graceful stop. */
const STOP_LIMIT_MS = 10_000
/** The limit for immediate actions, on a machine with other work. */
const AT_ONCE_MS = 1000
/** The time in which a second daemon on a home must refuse, its own start included. */
const REFUSED_LIMIT_MS = 2000
const MANY = 1_000_000
const QUEUED = 25

async function readyDaemon(env: Record<string, string> = {}): Promise<DaemonProcess> {
  const daemon = await DaemonProcess.ready(env)
  onTestFinished(() => daemon.dispose())
  return daemon
}

/** Ends a daemon under load. @returns the duration in milliseconds */
async function stopUnderLoad(signal: NodeJS.Signals): Promise<number> {
  const daemon = await readyDaemon()
  await daemon.analyze(true)
  const history = new History()
  const traffic = new Traffic({ daemon, history, clients: 8, orders: MANY })
  void traffic.run()
  await traffic.reached(100)
  const askedAt = performance.now()
  const ending = daemon.signal(signal)
  await pause(200)
  traffic.hold()
  expect(await ending).toEqual({ code: 0, signal: null })
  const took = performance.now() - askedAt

  const file = join(daemon.home, 'sandbox.db')
  const rows = await query<{ order_id: string; strategy: string }>(
    file,
    'select order_id, strategy from sandbox_orders',
  )
  const existing = rows.map((row) => ({ orderId: row.order_id, operation: row.strategy }))
  expect(lostOrPhantom(history.operations, existing)).toEqual([])
  expect(executedTwice(history.operations, existing)).toEqual([])
  expect(await damages(daemon.home)).toEqual([])
  const waiting = await query(file, 'pragma wal_checkpoint')
  expect(waiting, 'the log is folded into the file').toEqual([{ busy: 0, log: 0, checkpointed: 0 }])
  return took
}

for (const signal of casesFor(['SIGTERM', 'SIGINT'] as const, (one) => one === 'SIGTERM')) {
  it(`${signal} under load: exits with 0 within 10 s and keeps everything acknowledged`, async () => {
    expect(await leastTime(STOP_LIMIT_MS, () => stopUnderLoad(signal))).toBeLessThan(STOP_LIMIT_MS)
  })
}

/** Resolves when the broker has received the first order. */
const inFlight = (kite: FakeBrokerProcess) =>
  eventually(async () => (await kite.placed()).length > 0, 'the broker has the order')

it('an order in flight at the broker is answered before the daemon stops', async () => {
  const kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  await kite.holdBack(60_000)
  await kite.script('place', 'held')
  const order = daemon.place()
  await inFlight(kite)
  const ended = daemon.signal('SIGTERM')
  await eventually(() => daemon.output.includes('daemon.stopping'), 'the stop has begun')
  const late = daemon.place().then(
    ({ status }) => status,
    () => 'refused',
  )
  // The server may be closed already, or may still answer that the daemon stops. In both cases only one order
  // exists.
  expect(await late).not.toBe(200)
  await kite.release()
  expect((await order).body).toMatchObject({ status: 'success' })
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(await query(join(daemon.home, 'svc.db'), 'select state from order_journal')).toEqual([
    { state: 'accepted' },
  ])
  expect(await kite.placed()).toHaveLength(1)
})

/** Ends a daemon whose clients keep their connections. @returns the duration in milliseconds */
async function stopWithClients(): Promise<number> {
  const daemon = await readyDaemon()
  const { port } = new URL(daemon.url)
  const socket = new WebSocket(`ws://127.0.0.1:${port}/events`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  })
  await new Promise((resolve) => socket.once('message', resolve))
  // The client has stopped reading, so it does not answer the close frame.
  socket.pause()
  onTestFinished(() => socket.terminate())
  const half = connect(Number(port), '127.0.0.1', () => {
    half.write('POST /api/v1/placeorder HTTP/1.1\r\nHost: x\r\n')
  })
  half.on('error', () => undefined)
  onTestFinished(() => void half.destroy())
  const askedAt = performance.now()
  expect(await daemon.signal('SIGTERM')).toEqual({ code: 0, signal: null })
  return performance.now() - askedAt
}

it('clients that keep their connections open do not delay the stop', async () => {
  expect(await leastTime(STOP_LIMIT_MS, stopWithClients)).toBeLessThan(STOP_LIMIT_MS)
})

/** Returns a desk with its own broker. */
async function liveDesk(): Promise<{ kite: FakeBrokerProcess; daemon: DaemonProcess }> {
  const kite = await FakeBrokerProcess.start(FAKE_BROKERS.zerodha)
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  return { kite, daemon }
}

/** Checks that the next start finds the one order in flight, and that its key leads to it. */
async function settledAfterwards({ kite, daemon }: Awaited<ReturnType<typeof liveDesk>>): Promise<void> {
  await daemon.start()
  const { orderId } = (await kite.placed())[0] ?? {}
  await expect
    .poll(async () => (await daemon.place({}, { 'idempotency-key': 'k' })).body.orderid)
    .toBe(orderId)
  const tags = (await kite.placed()).map(({ tag }) => tag)
  expect(new Set(tags).size, 'nothing was sent twice').toBe(tags.length)
}

/** Ends a daemon whose broker does not answer. @returns the duration in milliseconds */
async function stopWithSilentBroker(): Promise<number> {
  const { kite, daemon } = await liveDesk()
  await kite.holdBack(60_000)
  await kite.script('place', 'held')
  const order = daemon.place({}, { 'idempotency-key': 'k' }).catch(() => undefined)
  await inFlight(kite)
  const askedAt = performance.now()
  expect(await daemon.signal('SIGTERM')).toEqual({ code: 0, signal: null })
  const took = performance.now() - askedAt
  await order
  const [row] = await query(join(daemon.home, 'svc.db'), 'select state from order_journal')
  expect(row?.state).toBe('unknown')
  await settledAfterwards({ kite, daemon })
  expect(await kite.placed()).toHaveLength(1)
  return took
}

it('an order without a broker answer does not delay the stop: it is in doubt, then settled', async () => {
  expect(await leastTime(STOP_LIMIT_MS, stopWithSilentBroker)).toBeLessThan(STOP_LIMIT_MS)
})

/** Has the broker keep its answer to the fourth order, for which the ones after it wait. */
const holdFourth = (kite: FakeBrokerProcess) => kite.script('place', 'ok', 'ok', 'ok', 'held')

/** Asks a daemon to stop when the broker has the fourth order, which it answers then. */
async function stopMidway({ kite, daemon }: Awaited<ReturnType<typeof liveDesk>>): Promise<void> {
  await expect.poll(async () => (await kite.placed()).length).toBeGreaterThan(3)
  const ended = daemon.signal('SIGTERM')
  await eventually(() => daemon.output.includes('daemon.stopping'), 'the stop has begun')
  await kite.release()
  expect(await ended).toEqual({ code: 0, signal: null })
}

it('a stop during approve-all leaves each order either approved and sent, or pending', async () => {
  const { kite, daemon } = await liveDesk()
  await daemon.orderMode('semi_auto')
  for (let order = 0; order < QUEUED; order++) await daemon.place()
  await holdFourth(kite)
  const approving = daemon.request('POST', '/action-center/approve-all')
  await stopMidway({ kite, daemon })

  const arrived = (await kite.placed()).map(({ orderId }) => orderId)
  const rows = await approvalsOf(daemon)
  const pending = rows.filter(({ status }) => status === 'pending')
  expect(pending.length).toBeGreaterThan(0)
  expect(rows.filter(({ status }) => status !== 'pending')).toEqual(
    arrived.map((id) =>
      expect.objectContaining({ status: 'approved', execution: 'done', broker_order_id: id }),
    ),
  )
  expect((await approving).body).toMatchObject({
    status: 'warning',
    message: expect.stringContaining(`; ${pending.length} refused and still pending`),
    executed_count: arrived.length,
  })

  await kite.resume(daemon)
  await daemon.request('POST', '/action-center/approve-all')
  expect(await kite.placed()).toHaveLength(QUEUED)
})

it('a stop during a basket reports its unsent orders, and a retry after the restart sends them', async () => {
  const { kite, daemon } = await liveDesk()
  const line = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', pricetype: 'MARKET', product: 'CNC' }
  const orders = Array.from({ length: QUEUED }, (_, index) => ({ ...line, quantity: index + 1 }))
  const post = () =>
    daemon.api<{ results: { status: string }[] }>(
      'basketorder',
      { strategy: 'e2e', orders },
      { 'idempotency-key': 'basket' },
    )
  const placedIn = ({ body }: Awaited<ReturnType<typeof post>>) =>
    body.results.filter(({ status }) => status === 'success').length
  await holdFourth(kite)
  const posted = post()
  await stopMidway({ kite, daemon })
  const arrived = (await kite.placed()).length
  expect(arrived).toBeLessThan(QUEUED)
  expect(placedIn(await posted)).toBe(arrived)

  await kite.resume(daemon)
  expect(placedIn(await post())).toBe(QUEUED)
  const tags = (await kite.placed()).map(({ tag }) => tag)
  expect(tags).toHaveLength(QUEUED)
  expect(new Set(tags).size, 'nothing was sent twice').toBe(QUEUED)
})

/** Asks a daemon with an order in flight to end, twice. @returns the milliseconds after the second request */
async function stopTwice(clients: number): Promise<number> {
  const { kite, daemon } = await liveDesk()
  await kite.script('place', 'held')
  const order = daemon.place({}, { 'idempotency-key': 'k' }).catch(() => undefined)
  await inFlight(kite)
  const traffic = new Traffic({ daemon, history: new History(), clients, orders: MANY })
  void traffic.run()
  if (clients > 0) await traffic.reached(clients)
  const ended = daemon.signal('SIGTERM')
  await pause(300)
  traffic.hold()
  expect(daemon.running, 'it waits for the order').toBe(true)
  const askedAt = performance.now()
  await daemon.signal('SIGTERM')
  const took = performance.now() - askedAt
  expect((await ended).code).toBe(130)
  await order
  expect(await damages(daemon.home)).toEqual([])
  await settledAfterwards({ kite, daemon })
  return took
}

const LOADS = [
  { load: '', clients: 0 },
  { load: ', under load too', clients: 8 },
]
for (const { load, clients } of casesFor(LOADS, (one) => one.clients > 0)) {
  it(`a second signal ends it at once${load}, and the next start recovers`, async () => {
    expect(await leastTime(AT_ONCE_MS, () => stopTwice(clients))).toBeLessThan(AT_ONCE_MS)
  })
}

/** The ways in which a second daemon on a home detects the first. */
const TELLS = [
  {
    by: 'what the first wrote of itself',
    prepare: () => undefined,
    says: ({ url, pid }: DaemonProcess) => `A daemon already runs at ${url} (pid ${pid}). Stop it: svc down`,
    limitMs: REFUSED_LIMIT_MS,
  },
  {
    by: 'the lock alone',
    prepare: ({ home }: DaemonProcess) => rmSync(join(home, 'daemon.json')),
    says: ({ home }: DaemonProcess) => `Another svc daemon is running in ${home}`,
    // The daemon has loaded all its code by then; the time depends on the other work of the machine.
    limitMs: STOP_LIMIT_MS,
  },
]

for (const { by, prepare, says, limitMs } of TELLS) {
  it(`a second daemon that detects the first by ${by} exits within ${limitMs / 1000} s with the reason; the first continues`, async () => {
    const first = await readyDaemon()
    await first.analyze(true)
    prepare(first)
    const users = () => query(join(first.home, 'svc.db'), 'select count(*) as users from users')
    const before = await users()
    const startAnother = async () => {
      const second = new DaemonProcess({ home: first.home })
      const startedAt = performance.now()
      await second.start({ expectFailure: true, beside: true })
      const ended = await second.exited()
      const took = performance.now() - startedAt
      expect(ended.code).not.toBe(0)
      expect(second.output).toContain(says(first))
      expect(second.output.trim().split('\n').length).toBeLessThanOrEqual(3)
      return took
    }
    expect(await leastTime(limitMs, startAnother)).toBeLessThan(limitMs)
    expect((await first.place()).status).toBe(200)
    expect(await users()).toEqual(before)
  })
}

testInTorture('the lock is free after a kill -9', async () => {
  const daemon = await readyDaemon()
  for (let round = 0; round < 3; round++) await daemon.crash()
  expect((await daemon.request('GET', '/status')).status).toBe(200)
})

/** Reads of a backup's manifest wait for a pipe to which nobody writes, as on a network disk that is away. */
const HUNG_DISK = `
const { promises } = require('node:fs')
const { stat } = promises
promises.stat = (path, ...more) =>
  String(path).endsWith('manifest.json') ? promises.readFile(process.env.HUNG_PIPE) : stat(path, ...more)
require('node:module').syncBuiltinESMExports()
`

testInTorture('a disk of the backups that hangs does not hold up a stop', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hung-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [preload, pipe] = [join(folder, 'hung.cjs'), join(folder, 'pipe')]
  writeFileSync(preload, HUNG_DISK)
  execFileSync('mkfifo', [pipe])
  const daemon = await readyDaemon({ NODE_OPTIONS: `--require ${preload}`, HUNG_PIPE: pipe })
  mkdirSync(join(daemon.home, 'backups', '20261120T110000Z-3f9c2a'), { recursive: true })
  void daemon.request('GET', '/backups').catch(() => undefined)
  await pause(300)
  const order = await daemon.place()
  expect(order.status).toBe(200)
  const askedAt = performance.now()
  const { signal } = await daemon.signal('SIGTERM')
  expect(performance.now() - askedAt).toBeLessThan(STOP_LIMIT_MS)
  // Node itself does not exit while a thread waits for the disk.
  expect(signal).toBe('SIGKILL')
  expect(await damages(daemon.home)).toEqual([])
  expect(existsSync(join(daemon.home, 'daemon.json')), 'everything else is closed in order').toBe(false)
})
