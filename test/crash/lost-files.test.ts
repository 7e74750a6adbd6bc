import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { filesBelow } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/*
 * A database file is taken away under the running daemon. SQLite commits to the removed file without an error, so the
 * daemon looks at the paths: it turns unready, says which file, and acknowledges nothing.
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

/** Returns the log lines about a lost file, with their fields. */
const lossesIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
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

it.each(['svc.db', 'svc.db-wal'])('%s removed: unready, told in the log, writes refused', async (name) => {
  const daemon = await running()
  expect((await daemon.place()).status).toBe(200)
  expect(await readiness(daemon)).toEqual([200, 'pass', 'ok'])
  const file = join(daemon.home, name)
  rmSync(file)
  expect(await readiness(daemon)).toEqual([503, 'fail', `${name} was removed or replaced`])
  // Nobody has written since then: the daemon checks by itself.
  await eventually(() => lossesIn(daemon.output).length > 0, 30_000, 'it is told of')
  expect(lossesIn(daemon.output)).toEqual([expect.objectContaining({ level: 'error', file })])
  const errors = () => filesBelow(daemon.home).find((path) => path.endsWith('errors.jsonl'))
  const logged = () => lossesIn(readFileSync(errors() ?? '/dev/null', 'utf8'))
  await eventually(() => logged().length > 0, 30_000, 'errors.jsonl has it')
  expect(logged()).toEqual([expect.objectContaining({ file })])

  await expectRefused(daemon, file)
  expect((await daemon.api('orderbook')).status, 'reads are served').toBe(200)
  expect((await daemon.request('GET', '/health/live')).status).toBe(200)
})

it.each(['svc.db', 'svc.db-wal'])('%s cut to nothing in place: unready, writes refused', async (name) => {
  const daemon = await running()
  expect((await daemon.place()).status).toBe(200)
  const file = join(daemon.home, name)
  truncateSync(file)
  for (let order = 0; order < 3; order++) {
    const { status, text } = await daemon.place()
    expect([status, text]).toEqual([503, expect.stringContaining(`${file} was removed or replaced`)])
  }
  // An order under a key first looks for the key, which may fail in another way. It is never acknowledged.
  expect((await daemon.place({}, { 'idempotency-key': 'cut-1' })).status).toBeGreaterThanOrEqual(500)
  expect(await readiness(daemon)).toEqual([503, 'fail', `${name} was removed or replaced`])
})

it('sandbox.db removed: an Analyzer order is refused, and so is the next', async () => {
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

it('daemon.lock removed: the first daemon executes nothing beside a second one', async () => {
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

it('the whole home replaced by an empty one: the same', async () => {
  const daemon = await running()
  const away = `${daemon.home}.away`
  onTestFinished(() => rmSync(away, { recursive: true, force: true }))
  renameSync(daemon.home, away)
  // The daemon writes only into an existing home and creates none.
  mkdirSync(daemon.home)
  expect(await readiness(daemon)).toEqual([503, 'fail', 'svc.db was removed or replaced'])
  await expectRefused(daemon, join(daemon.home, 'svc.db'))
})

it('a home that was moved away and back is whole: what was refused meanwhile is not in it', async () => {
  const daemon = await running()
  await daemon.analyze(true)
  const placed = (await daemon.place()).body.orderid
  const away = `${daemon.home}.away`
  renameSync(daemon.home, away)
  expect((await daemon.place()).status).toBe(503)
  await eventually(() => lossesIn(daemon.output).length > 0, 30_000, 'it is told of')
  renameSync(away, daemon.home)
  expect(await readiness(daemon)).toEqual([200, 'pass', 'ok'])
  const again = (await daemon.place()).body.orderid
  const book = await daemon.api<{ data: { orders: { orderid: string }[] } }>('orderbook')
  expect(book.body.data.orders.map(({ orderid }) => orderid).sort()).toEqual([placed, again].sort())
})
