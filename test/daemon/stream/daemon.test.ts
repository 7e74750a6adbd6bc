import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type RunningDaemon, startDaemon } from '../../../src/daemon/main.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'
import { Client, type Frame, follow, SBIN } from './rig.js'

const LOGIN = { username: 'asha', password: 'Passw0rd!' }
const POSITIVE = expect.toSatisfy((value: unknown) => typeof value === 'number' && value > 0)
const ACCOUNT = { ...LOGIN, email: 'asha@example.org' }

let home: string
let daemon: RunningDaemon
let apikey: string
let token: string

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(daemon.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Frame }
}

async function connect(url: string): Promise<Client> {
  const client = new Client(new WebSocket(url))
  await client.opened
  expect(await client.ask({ action: 'authenticate', api_key: apikey })).toMatchObject({ status: 'success' })
  return client
}

beforeAll(async () => {
  vi.stubEnv('LOG_LEVEL', 'ERROR')
  home = mkdtempSync(join(tmpdir(), 'svc-test-'))
  daemon = await startDaemon({ home, port: 0, wsPort: 0 })
  apikey = String((await call('POST', '/setup', ACCOUNT)).body.apikey)
  token = String((await call('POST', '/auth/login', LOGIN)).body.token)
})

afterAll(async () => {
  await daemon?.stop()
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true, force: true })
})

test('daemon.json and /status show the addresses of both streams', async () => {
  const { url, wsUrl, eventsUrl } = daemon
  expect(JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8'))).toMatchObject({
    url,
    ws_url: wsUrl,
    events_url: eventsUrl,
  })
  const { data } = (await call('GET', '/status')).body as { data: Frame }
  expect(data).toMatchObject({ ws_url: wsUrl, events_url: eventsUrl, market_clients: 0 })
  expect(new URL(wsUrl).port).not.toBe(new URL(url).port)
})

test.each(['port', 'wsPort'] as const)(
  'a daemon whose %s is taken says which setting to change, and leaves nothing behind',
  async (name) => {
    const other = createServer()
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port: taken } = other.address() as AddressInfo
    const folder = tempDir()
    const start = (ports: { port: number; wsPort: number }) => startDaemon({ home: folder, ...ports })
    await expect(start({ port: 0, wsPort: 0, [name]: taken })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        `^Port ${taken} on 127.0.0.1 is in use, .* Set ${name === 'port' ? 'SVC_PORT' : 'SVC_WS_PORT'} .*or to 0`,
      ),
    })
    other.close()
    const second = await start({ port: 0, wsPort: 0, [name]: taken })
    expect(second[name === 'port' ? 'url' : 'wsUrl']).toContain(`:${taken}`)
    await second.stop()
  },
)

test('the stream is on its own port under any path, and at /ws of the HTTP port', async () => {
  const http = daemon.url.replace('http', 'ws')
  for (const url of [daemon.wsUrl, `${daemon.wsUrl}/any/path?x=1`, `${http}/ws`, `${http}/ws/`]) {
    const client = await connect(url)
    expect(await follow(client, SBIN, 'LTP')).toMatchObject({ status: 'success' })
    expect(await client.next()).toMatchObject({ type: 'market_data', ...SBIN, mode: 1 })
    client.socket.close()
    await client.closed
  }
  const elsewhere = new Client(new WebSocket(`${http}/ws2`))
  await elsewhere.closed
  const plain = await fetch(daemon.wsUrl.replace('ws:', 'http:'))
  expect([plain.status, await plain.json()]).toEqual([
    426,
    { status: 'error', message: 'This port speaks WebSocket only' },
  ])
})

test('orders show on the stream while they live, simulated and live ones alike', async () => {
  const client = await connect(daemon.wsUrl)
  await client.ask({ action: 'subscribe_orders' })
  const place = async () => {
    const order = { strategy: 't', ...SBIN, action: 'BUY', quantity: 1, product: 'MIS', pricetype: 'MARKET' }
    const { orderid } = (await call('POST', '/api/v1/placeorder', { apikey, ...order })).body
    await eventually(() =>
      client.frames.some((frame) => frame.orderid === orderid && frame.order_status === 'complete'),
    )
    return client.frames.splice(0).at(-1)
  }
  const filled = { type: 'order_update', user_id: 'asha', ...SBIN, quantity: 1, filled_quantity: 1 }
  expect(await place()).toMatchObject({ ...filled, mode: 'live', broker: 'simulated' })
  await call('POST', '/settings/analyze-mode/1')
  expect(await place()).toMatchObject({ ...filled, mode: 'analyze', broker: 'sandbox' })
  await call('POST', '/settings/analyze-mode/0')
  client.socket.close()
})

test('the session routes give a page what it needs, and the state of the stream', async () => {
  const { wsUrl } = daemon
  expect(await call('GET', '/api/websocket/config')).toEqual({
    status: 200,
    body: { status: 'success', websocket_url: wsUrl, is_secure: false, original_url: wsUrl },
  })
  expect((await call('GET', '/api/websocket/apikey')).body).toEqual({ status: 'success', api_key: apikey })

  const symbols = [SBIN, { symbol: 'BAD', exchange: 'NSE' }]
  expect((await call('POST', '/api/websocket/subscribe', { symbols, mode: 'LTP' })).body).toMatchObject({
    status: 'success',
    subscriptions: { mode: 'LTP', count: 2, symbols: [{ status: 'success' }, { status: 'error' }] },
  })
  const held = { exchange: 'NSE', symbol: 'SBIN', mode: 'LTP' }
  expect((await call('GET', '/api/websocket/subscriptions')).body).toEqual({
    status: 'success',
    subscriptions: [held],
    count: 1,
    broker: 'simulated',
  })
  expect((await call('GET', '/api/websocket/status')).body).toEqual({
    status: 'success',
    connected: true,
    authenticated: true,
    broker: 'simulated',
    websocket_url: wsUrl,
    active_subscriptions: 1,
    subscriptions: [held],
  })
  const marketData = () => call('GET', '/api/websocket/market-data?symbol=SBIN&exchange=NSE')
  await eventually(async () => Object.keys((await marketData()).body.data as Frame).length > 0)
  expect((await marketData()).body).toMatchObject({
    status: 'success',
    data: { ltp: { value: POSITIVE }, quote: { close: POSITIVE } },
    timestamp: POSITIVE,
  })
  expect((await call('GET', '/api/websocket/health')).body).toMatchObject({
    status: 'healthy',
    healthy: true,
    data_flow_healthy: true,
    trade_management_safe: true,
    total_updates_processed: POSITIVE,
  })
  expect((await call('GET', '/api/websocket/trade-safe')).body).toEqual({
    safe: true,
    reason: 'Prices are flowing',
    data_fresh: true,
  })
  expect((await call('GET', '/api/websocket/metrics')).body).toMatchObject({ metrics: { connected: true } })
  expect((await call('POST', '/api/websocket/unsubscribe', { symbols: [SBIN] })).body).toMatchObject({
    status: 'success',
    unsubscriptions: { count: 1 },
  })
  expect((await call('POST', '/api/websocket/unsubscribe-all')).body).toMatchObject({
    unsubscriptions: { count: 0 },
  })
})

test.each([
  [{}, 'No symbols provided'],
  [[], 'No symbols provided'],
  [{ symbols: [] }, 'No symbols provided'],
  [{ symbols: [SBIN], mode: 'Everything' }, 'Invalid mode. Must be one of: LTP, Quote, Depth'],
])('a subscription over a session route that says %j is refused', async (body, message) => {
  expect(await call('POST', '/api/websocket/subscribe', body)).toEqual({
    status: 400,
    body: { status: 'error', message },
  })
})

test('the session routes need a session', async () => {
  const response = await fetch(`${daemon.url}/api/websocket/apikey`)
  expect(response.status).toBe(401)
})

test('a stop closes the clients and does not wait for those that do not answer', async () => {
  const [polite, deaf] = [await connect(daemon.wsUrl), await connect(daemon.wsUrl)]
  deaf.socket.pause()
  await daemon.stop()
  expect((await polite.closed).code).toBe(1001)
  deaf.socket.terminate()
})
