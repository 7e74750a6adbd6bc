import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { filesBelow } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/*
 * A database file is removed while the daemon runs. SQLite commits to the removed file without an error, so
 * the daemon checks the paths. When a file is missing it becomes unready, names the file, and acknowledges no
 * write.
 */

interface Ready {
  status: string
  checks: { storage: string }
}

async function running(): Promise<DaemonProcess> {
  const daemon = await DaemonProcess.ready()
  onTestFinished(() => daemon.dispose())
  return daemon
}

const readiness = async (daemon: DaemonProcess) => {
  const { status, body } = await daemon.request<Ready>('GET', '/health/ready')
  return [status, body.status, body.checks.storage]
}

/** Returns the log lines about a lost file, with their fields. The last line may not be complete yet. */
const lossesIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{') && line.includes('storage.file_missing'))
    .map((line) => JSON.parse(line))

async function expectRefused(daemon: DaemonProcess, file: string): Promise<void> {
  const attempts = {
    'a live order': () => daemon.place(),
    'a live order under a key': () => daemon.place({}, { 'idempotency-key': 'lost-1' }),
    'a setting': () => daemon.request('PUT', '/risk', { max_orders_per_day: 5 }),
    'a sign-in': async () => {
      const credentials = { username: 'asha', password: 'Passw0rd!' }
      return daemon.request('POST', '/auth/login', credentials)
    },
  }
  for (const [name, attempt] of Object.entries(attempts)) {
    const { status, code, text } = await attempt()
    expect([name, status, code, text]).toEqual([
      name,
      503,
      'unavailable',
      expect.stringContaining(`${file} was removed or replaced while the service was running`),
    ])
  }
}

it.each(['svc.db', 'svc.db-wal'])(
  'without %s the daemon is unready, logs the loss and refuses writes',
  async (name) => {
    const daemon = await running()
    expect((await daemon.place()).status).toBe(200)
    expect(await readiness(daemon)).toEqual([200, 'pass', 'ok'])
    const file = join(daemon.home, name)
    rmSync(file)
    expect(await readiness(daemon)).toEqual([503, 'fail', `${name} was removed or replaced`])
    // Nobody has written since then: the daemon checks by itself.
    await eventually(() => lossesIn(daemon.output).length > 0, 'it is told of')
    expect(lossesIn(daemon.output)).toEqual([expect.objectContaining({ level: 'error', file })])
    const errors = () => filesBelow(daemon.home).find((path) => path.endsWith('errors.jsonl'))
    const logged = () => lossesIn(readFileSync(errors() ?? '/dev/null', 'utf8'))
    await eventually(() => logged().length > 0, 'errors.jsonl has it')
    expect(logged()).toEqual([expect.objectContaining({ file })])

    await expectRefused(daemon, file)
    expect((await daemon.api('orderbook')).status, 'reads are served').toBe(200)
    expect((await daemon.request('GET', '/health/live')).status).toBe(200)
  },
)

it.each(['svc.db', 'svc.db-wal'])(
  'with an empty %s the daemon is unready and refuses writes',
  async (name) => {
    const daemon = await running()
    expect((await daemon.place()).status).toBe(200)
    const file = join(daemon.home, name)
    truncateSync(file)
    for (let order = 0; order < 3; order++) {
      // An order under a key first looks for the key, and that read fails too.
      for (const headers of [undefined, { 'idempotency-key': `cut-${order}` }]) {
        const { status, text } = await daemon.place({}, headers)
        expect([status, text]).toEqual([503, expect.stringContaining(`${file} was removed or replaced`)])
      }
    }
    expect(await readiness(daemon)).toEqual([503, 'fail', `${name} was removed or replaced`])
  },
)

it('without sandbox.db every Analyzer order is refused', async () => {
  const daemon = await running()
  await daemon.analyze(true)
  expect((await daemon.place()).status).toBe(200)
  const file = join(daemon.home, 'sandbox.db')
  rmSync(file)
  for (let order = 0; order < 2; order++) {
    const { status, text } = await daemon.place()
    expect([status, text]).toEqual([503, expect.stringContaining(`${file} was removed or replaced`)])
  }
  expect(await readiness(daemon)).toEqual([503, 'fail', 'sandbox.db was removed or replaced'])
})

it('exchange.db of the simulated broker removed: live orders are refused, none is in doubt', async () => {
  const daemon = await running()
  expect((await daemon.place()).status).toBe(200)
  const [file = ''] = filesBelow(daemon.home).filter((path) => path.endsWith('exchange.db'))
  const away = `${file}.away`
  renameSync(file, away)
  expect(await readiness(daemon)).toEqual([503, 'fail', 'exchange.db was removed or replaced'])
  for (let order = 0; order < 2; order++) {
    const { status, text } = await daemon.place()
    expect([status, text]).toEqual([503, expect.stringContaining(`${file} was removed or replaced`)])
  }
  const book = () => daemon.api<{ data: { orders: unknown[] } }>('orderbook')
  expect((await book()).body.data.orders, 'reads are served').toHaveLength(1)
  renameSync(away, file)
  expect(await readiness(daemon)).toEqual([200, 'pass', 'ok'])
  expect((await daemon.place()).status).toBe(200)
  expect((await book()).body.data.orders).toHaveLength(2)
})

it('without daemon.lock the first daemon executes nothing beside a second one', async () => {
  const first = await running()
  expect((await first.place()).status).toBe(200)
  const file = join(first.home, 'daemon.lock')
  rmSync(file)
  const second = Object.assign(new DaemonProcess({ home: first.home }), {
    apikey: first.apikey,
    token: first.token,
  })
  onTestFinished(() => second.kill().then(() => undefined))
  await second.start()
  await expectRefused(first, file)
  expect(await readiness(first)).toEqual([503, 'fail', 'daemon.lock was removed or replaced'])
  expect((await second.place()).status).toBe(200)
  await first.signal('SIGTERM')
  expect(existsSync(join(second.home, 'daemon.json')), 'the file of the second is left alone').toBe(true)
})

it('with an empty home in place of its own the daemon refuses every order', async () => {
  const daemon = await running()
  const away = `${daemon.home}.away`
  onTestFinished(() => rmSync(away, { recursive: true, force: true }))
  renameSync(daemon.home, away)
  // The daemon writes only into an existing home and creates none.
  mkdirSync(daemon.home)
  expect(await readiness(daemon)).toEqual([503, 'fail', 'svc.db was removed or replaced'])
  await expectRefused(daemon, join(daemon.home, 'svc.db'))
})

it('a home that was moved away and back is whole, without the writes that were refused between', async () => {
  const daemon = await running()
  await daemon.analyze(true)
  const placed = (await daemon.place()).body.orderid
  const away = `${daemon.home}.away`
  renameSync(daemon.home, away)
  expect((await daemon.place()).status).toBe(503)
  await eventually(() => lossesIn(daemon.output).length > 0, 'it is told of')
  renameSync(away, daemon.home)
  expect(await readiness(daemon)).toEqual([200, 'pass', 'ok'])
  const again = (await daemon.place()).body.orderid
  const book = await daemon.api<{ data: { orders: { orderid: string }[] } }>('orderbook')
  expect(book.body.data.orders.map(({ orderid }) => orderid).sort()).toEqual([placed, again].sort())
})
