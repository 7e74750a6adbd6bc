import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { executedTwice, lostOrPhantom } from '../support/checker.js'
import { DaemonProcess } from '../support/daemon-process.js'
import { pause } from '../support/eventually.js'
import { FakeKiteProcess } from '../support/fake-kite-process.js'
import { damages, query } from '../support/files.js'
import { History } from '../support/history.js'
import { Traffic } from '../support/traffic.js'

/* Promises 16 and 20. */
/** The service gives itself 10 s at the most; the rest is for a machine that stands still for a while. */
const STOP_LIMIT_MS = 30_000
const MANY = 1_000_000

async function readyDaemon(): Promise<DaemonProcess> {
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  return daemon
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  it(`${signal} under load: ends with 0 by itself, and what was acknowledged is there`, async () => {
    const daemon = await readyDaemon()
    await daemon.analyze(true)
    const history = new History()
    const traffic = new Traffic({ daemon, history, clients: 8, orders: MANY })
    void traffic.run()
    await traffic.reached(100)
    const askedAt = Date.now()
    const ending = daemon.signal(signal)
    await pause(200)
    traffic.hold()
    const ended = await ending
    expect(ended).toEqual({ code: 0, signal: null })
    expect(Date.now() - askedAt).toBeLessThan(STOP_LIMIT_MS)

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
  })
}

it('an order on its way to the broker is finished and answered before the end', async () => {
  const kite = await FakeKiteProcess.start()
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  await kite.script('place', 'slow:1500')
  const order = daemon.place()
  await pause(500)
  const ended = daemon.signal('SIGTERM')
  await pause(200)
  const late = daemon.place().then(
    ({ status }) => status,
    () => 'refused',
  )
  expect([503, 'refused']).toContain(await late)
  expect((await order).body).toMatchObject({ status: 'success' })
  expect(await ended).toEqual({ code: 0, signal: null })
  const [row] = await query(join(daemon.home, 'svc.db'), 'select state from order_journal')
  expect(['accepted', 'filled']).toContain(row?.state)
  expect(await kite.placed()).toHaveLength(1)
})

it('clients that never hang up do not hold up the end', async () => {
  const daemon = await readyDaemon()
  const { port } = new URL(daemon.url)
  const socket = new WebSocket(`ws://127.0.0.1:${port}/events`, {
    headers: { authorization: `Bearer ${daemon.token}` },
  })
  await new Promise((resolve) => socket.once('message', resolve))
  // It does not read any more, so it will not answer the farewell.
  socket.pause()
  onTestFinished(() => socket.terminate())
  const half = connect(Number(port), '127.0.0.1', () => {
    half.write('POST /api/v1/placeorder HTTP/1.1\r\nHost: x\r\n')
  })
  half.on('error', () => undefined)
  onTestFinished(() => void half.destroy())
  const askedAt = Date.now()
  expect(await daemon.signal('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(Date.now() - askedAt).toBeLessThan(STOP_LIMIT_MS)
})

it('an order that the broker does not answer does not hold up the end: it is in doubt, then settled', async () => {
  const kite = await FakeKiteProcess.start()
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  await kite.holdBack(60_000)
  await kite.script('place', 'slow:12000')
  const order = daemon.place({}, { 'idempotency-key': 'k' }).catch(() => undefined)
  await pause(300)
  const askedAt = Date.now()
  expect(await daemon.signal('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(Date.now() - askedAt).toBeLessThan(STOP_LIMIT_MS)
  await order
  const [row] = await query(join(daemon.home, 'svc.db'), 'select state from order_journal')
  expect(row?.state).toBe('unknown')

  await daemon.start()
  const { orderId } = (await kite.placed())[0] ?? {}
  await expect
    .poll(async () => (await daemon.place({}, { 'idempotency-key': 'k' })).body.orderid, { timeout: 10_000 })
    .toBe(orderId)
  expect(await kite.placed()).toHaveLength(1)
})

it('a second signal ends it at once, and the next start puts everything right', async () => {
  const kite = await FakeKiteProcess.start()
  onTestFinished(() => kite.dispose())
  const daemon = await kite.desk()
  onTestFinished(() => daemon.dispose())
  await kite.script('place', 'slow:8000')
  const order = daemon.place({}, { 'idempotency-key': 'k' }).catch(() => undefined)
  await pause(500)
  const ended = daemon.signal('SIGTERM')
  await pause(300)
  const askedAt = Date.now()
  await daemon.signal('SIGTERM')
  expect((await ended).code).toBe(130)
  expect(Date.now() - askedAt).toBeLessThan(STOP_LIMIT_MS)
  await order

  await daemon.start()
  const { orderId } = (await kite.placed())[0] ?? {}
  await expect
    .poll(async () => (await daemon.place({}, { 'idempotency-key': 'k' })).body.orderid, { timeout: 10_000 })
    .toBe(orderId)
  expect(await kite.placed()).toHaveLength(1)
})

it('a second daemon on one home ends by itself and says why; the first does not notice', async () => {
  const first = await readyDaemon()
  await first.analyze(true)
  const second = new DaemonProcess({ home: first.home })
  const users = () => query(join(first.home, 'svc.db'), 'select count(*) as users from users')
  const before = await users()
  await second.start({ expectFailure: true })
  const ended = await second.exited()
  expect(ended.code).not.toBe(0)
  expect(second.output).toContain(`Another svc daemon is running in ${first.home}`)
  expect(second.output.trim().split('\n').length).toBeLessThanOrEqual(3)
  expect((await first.place()).status).toBe(200)
  expect(await users()).toEqual(before)
})

it('the lock is free after a kill -9', async () => {
  const daemon = await readyDaemon()
  for (let round = 0; round < 3; round++) await daemon.crash()
  expect((await daemon.request('GET', '/status')).status).toBe(200)
})
