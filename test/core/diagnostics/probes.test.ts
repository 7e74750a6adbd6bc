import { createServer as httpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ProbeTargets, runProbes } from '../../../src/core/diagnostics/index.js'
import { SystemClock, VirtualClock } from '../../../src/core/time/index.js'
import { settled } from '../../support/settled.js'

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Returns a port on which nothing listens. */
async function deadPort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

const web = (status: number) =>
  listening(httpServer((_, answer) => answer.writeHead(status, { location: '/x' }).end()))

const targets = (changed: Partial<ProbeTargets> = {}): ProbeTargets => ({
  clock: new SystemClock(),
  database: { name: 'svc.db', isThere: () => true, query: async () => [{ one: 1 }] },
  loopback: () => [],
  stream: () => undefined,
  broker: () => ({ id: 'simulated', hasSession: true, host: undefined }),
  ...changed,
})

const probe = async (id: string, changed: Partial<ProbeTargets>) => {
  const found = (await runProbes(targets(changed))).find((result) => result.id === id)
  if (!found) throw new Error(`${id} did not run`)
  return found
}

it('the probes run in a fixed order', async () => {
  const names = (await runProbes(targets())).map(({ name }) => name)
  expect(names).toEqual([
    'DB read (svc.db)',
    'Loopback HTTP',
    'WebSocket proxy',
    'Broker reachability (simulated)',
  ])
})

describe('the database', () => {
  it('is read, and timed', async () => {
    const result = await probe('database', {})
    expect(result).toMatchObject({ ok: true, detail: 'OK' })
    expect(result.ms).toBeGreaterThanOrEqual(0)
  })

  it.each([
    ['missing', { isThere: () => false, query: async () => [] }, 'Not found', null],
    [
      'failing',
      { isThere: () => true, query: async () => Promise.reject(new Error('disk I/O')) },
      'disk I/O',
      0,
    ],
  ])('fails when it is %s', async (_, database, detail, atLeast) => {
    const result = await probe('database', { database: { name: 'svc.db', ...database } })
    expect(result).toMatchObject({ ok: false, detail })
    if (atLeast === null) expect(result.ms).toBeNull()
    else expect(result.ms).toBeGreaterThanOrEqual(atLeast)
  })

  it('has two seconds', async () => {
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const database = { name: 'svc.db', isThere: () => true, query: () => new Promise(() => undefined) }
    expect(await settled(clock, probe('database', { clock, database }))).toMatchObject({
      ok: false,
      detail: 'No answer within 2 s',
    })
  })
})

describe('the loopback', () => {
  it('takes the first address that answers below 500, and follows no redirect', async () => {
    const [good, bad, dead] = [await web(302), await web(503), await deadPort()]
    const at = (port: number, via: string) => ({ url: `http://127.0.0.1:${port}`, via })
    const ask = (...loopback: { url: string; via: string }[]) =>
      probe('loopback', { loopback: () => loopback })
    expect(await ask(at(good, 'direct'))).toMatchObject({ ok: true, detail: 'Answers (direct)' })
    expect(await ask(at(dead, 'direct'), at(good, 'via HOST_SERVER'))).toMatchObject({
      ok: true,
      detail: 'Answers (via HOST_SERVER)',
    })
    expect(await ask(at(bad, 'direct'))).toMatchObject({ ok: false, detail: 'HTTP 503 (direct)' })
    expect(await ask(at(dead, 'direct'))).toMatchObject({
      ok: false,
      detail: expect.stringContaining('ECONNREFUSED'),
    })
    expect(await ask()).toMatchObject({ ok: false, ms: null, detail: 'Not listening' })
  })

  it('gives up on a server that accepts and never answers', async () => {
    const port = await listening(createServer((socket) => void socket.on('error', () => undefined)))
    const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
    const loopback = () => [{ url: `http://127.0.0.1:${port}`, via: 'direct' }]
    expect(await settled(clock, probe('loopback', { clock, loopback }))).toMatchObject({
      ok: false,
      detail: 'No answer within 3 s',
    })
  })
})

it('the stream is connected to', async () => {
  const [port, dead] = [await listening(createServer()), await deadPort()]
  expect(await probe('stream', { stream: () => ({ host: '127.0.0.1', port }) })).toMatchObject({
    ok: true,
    name: `WebSocket proxy 127.0.0.1:${port}`,
    detail: 'TCP connect OK',
  })
  expect(await probe('stream', { stream: () => ({ host: '127.0.0.1', port: dead }) })).toMatchObject({
    ok: false,
  })
})

describe('the broker', () => {
  const ask = (hasSession: boolean, host?: string) =>
    probe('broker', { broker: () => ({ id: 'zerodha', hasSession, host }) })

  it('is reached at its own host, if it has a session', async () => {
    const port = await listening(createServer())
    expect(await ask(true, `127.0.0.1:${port}`)).toMatchObject({
      name: `Broker reachability (zerodha → 127.0.0.1:${port})`,
      ok: true,
      detail: `TCP/${port} connect OK`,
    })
    expect(await ask(true, `127.0.0.1:${await deadPort()}`)).toMatchObject({ ok: false })
    expect(await ask(true)).toMatchObject({ ok: true, ms: null, detail: 'Runs in this process' })
    expect(await ask(false, 'api.kite.trade')).toMatchObject({
      name: 'Broker reachability',
      ok: false,
      ms: null,
      detail: 'No active broker session',
    })
  })
})

it('a failure without a message shows its code, and never a secret', async () => {
  const query = () => Promise.reject(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))
  const database = { name: 'svc.db', isThere: () => true, query }
  expect(await probe('database', { database })).toMatchObject({ ok: false, detail: 'ECONNREFUSED' })
  const leaking = {
    ...database,
    query: () => Promise.reject(new Error(`token=abcdef123456 ${'x'.repeat(500)}`)),
  }
  const { detail } = await probe('database', { database: leaking })
  expect([detail.includes('abcdef'), detail.length]).toEqual([false, 200])
})
