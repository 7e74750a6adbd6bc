import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { BannedRows } from '../../../src/daemon/http/admission/banned-rows.js'
import { listen, withBans, withStreams } from '../../../src/daemon/http/http-server.js'
import { marketServer } from '../../../src/daemon/stream/market/port.js'
import { graphOf } from '../../core/flows/graphs.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'
import { eventually } from '../../support/eventually.js'

const BANNED = 'Access Denied: Your IP has been banned'
const ATTACKER = '203.0.113.7'
const PROXIED = { env: { TRUST_PROXY_HEADERS: 'true' } }
const MANUAL = { reason: 'Manual ban', hours: 24, source: 'manual' } as const

const from = (address: string) => ({ 'x-real-ip': address })

/** Sends a request over a new connection and returns everything that comes back. */
function exchange(port: number, head: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let text = ''
    socket.on('data', (data) => {
      text += String(data)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n`)
  })
}

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
}

test.each([
  ['GET /version', {}],
  ['GET /nowhere', {}],
  ['GET //', {}],
  ['POST /auth/login', { 'content-length': '0' }],
  ['GET /', { Host: 'a, b' }],
  ['GET /events', UPGRADE],
  ['GET /ws', UPGRADE],
  ['GET //', UPGRADE],
])('%s with %j gets nothing but the refusal from a banned address', async (head, headers) => {
  const http = await HttpDesk.open(PROXIED)
  const { port } = await http.listen()
  await http.daemon.service.security.ban(ATTACKER, MANUAL)
  http.daemon.setReady(false)
  const [top = '', body] = (await exchange(port, head, { ...headers, ...from(ATTACKER) })).split('\r\n\r\n')
  expect(top).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/)
  expect(top).toMatch(/content-type: text\/plain; charset=utf-8/i)
  expect(body).toBe(BANNED)
})

test('the own port of the market stream refuses a banned address, too, also without an upgrade', async () => {
  const http = await HttpDesk.open(PROXIED)
  const server = withStreams(marketServer(http.daemon), http.daemon, [() => false])
  onTestFinished(() => void server.close())
  const port = await listen(server, '127.0.0.1', 0)
  await http.daemon.service.security.ban(ATTACKER, MANUAL)
  for (const headers of [UPGRADE, { Connection: 'close' }]) {
    expect(await exchange(port, 'GET /', { ...headers, ...from(ATTACKER) })).toContain(BANNED)
    expect(await exchange(port, 'GET /', { ...headers, ...from('198.51.100.1') })).not.toContain(BANNED)
  }
})

test('a banned client is refused under the header that decides, and an unbanned one is let in', async () => {
  const http = await HttpDesk.open(PROXIED)
  const { port } = await http.listen()
  await http.daemon.service.security.ban(ATTACKER, MANUAL)
  const ask = (headers: Record<string, string>) =>
    exchange(port, 'GET /version', { Connection: 'close', ...headers })
  const hiding: Record<string, string>[] = [
    { 'x-forwarded-for': ATTACKER },
    { 'x-forwarded-for': `198.51.100.1, ${ATTACKER}` },
    { 'cf-connecting-ip': ATTACKER, 'x-real-ip': '198.51.100.1' },
    { 'x-real-ip': `::ffff:${ATTACKER}` },
    { 'x-real-ip': '::FFFF:cb00:7107' },
  ]
  for (const headers of hiding) {
    expect(await ask(headers), JSON.stringify(headers)).toContain(BANNED)
  }
  expect(await ask({ 'x-forwarded-for': `${ATTACKER}, 198.51.100.1` })).toMatch(/^HTTP\/1.1 200 /)
  // The specified order decides: a proxy behind a CDN names the CDN, which others use, too.
  expect(await ask({ 'cf-connecting-ip': '198.51.100.1', 'x-real-ip': ATTACKER })).toMatch(/^HTTP\/1.1 200 /)
  expect(await ask({})).toMatch(/^HTTP\/1.1 200 /)
})

test('a header of a peer that is no trusted proxy bans nobody and frees nobody', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  await http.daemon.service.security.ban(ATTACKER, MANUAL)
  expect(await exchange(port, 'GET /version', { Connection: 'close', ...from(ATTACKER) })).toMatch(/ 200 /)
})

test('an open WebSocket is closed when its client becomes banned, and those of others stay open', async () => {
  const http = await HttpDesk.open(PROXIED)
  const { port } = await http.listen()
  const token = await http.tokenOf('read')
  const open = async (address: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/events`, {
      headers: { ...bearer(token), ...from(address) },
    })
    onTestFinished(() => socket.terminate())
    socket.on('error', () => undefined)
    await once(socket, 'open')
    return socket
  }
  const [banned, neighbour, other] = await Promise.all(
    ['2001:db8::1', '2001:db8::2', ATTACKER].map((address) => open(address)),
  )
  await http.daemon.service.security.ban('2001:db8:0:0:f::1', MANUAL)
  await eventually(() => banned?.readyState === WebSocket.CLOSED, 'the socket closes')
  await eventually(() => neighbour?.readyState === WebSocket.CLOSED, 'that of its network closes')
  expect(other?.readyState).toBe(WebSocket.OPEN)
})

test('the address of a keep-alive connection is refused with its next request, and the connection ends', async () => {
  const http = await HttpDesk.open(PROXIED)
  const server = createServer(withBans(http.daemon, (_request, response) => response.end('in')))
  onTestFinished(() => void server.close())
  const port = await listen(server, '127.0.0.1', 0)
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const ask = async () => {
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Real-IP: ${ATTACKER}\r\n\r\n`)
    return String((await once(socket, 'data'))[0])
  }
  expect(await ask()).toContain('200 OK')
  await http.daemon.service.security.ban(ATTACKER, MANUAL)
  expect(await ask()).toContain(BANNED)
  await once(socket, 'close')
})

test('a ban breaks a download off at once, and lets a request that changes something end', async () => {
  const http = await HttpDesk.open(PROXIED)
  const answers = new Map<string | undefined, () => void>()
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'GET' || request.url === '/logs/export') response.write('begun')
    answers.set(`${request.method} ${request.url}`, () => response.end(' and ended'))
  }
  const server = createServer(withBans(http.daemon, handle))
  onTestFinished(() => void server.close())
  const port = await listen(server, '127.0.0.1', 0)
  const get = exchange(port, 'GET /logs/export', { ...from(ATTACKER), Connection: 'close' })
  const post = exchange(port, 'POST /api/v1/placeorder', { ...from(ATTACKER), Connection: 'close' })
  const offending = exchange(port, 'GET /scan', { ...from(ATTACKER), Connection: 'close' })
  const other = exchange(port, 'PUT /risk', { ...from('198.51.100.1'), Connection: 'close' })
  await eventually(() => answers.size === 4)
  await http.daemon.service.security.ban(ATTACKER, MANUAL)
  expect(await get).toMatch(/begun\r\n$/)
  for (const end of answers.values()) end()
  expect(await post).toContain('and ended')
  expect(await offending).toContain('and ended')
  expect(await other).toContain('and ended')
})

test('a ban ends a run of a graph, whose answer has begun, before it sends its order', async () => {
  const http = await HttpDesk.open(PROXIED)
  const { port } = await http.listen()
  const headers = bearer(await http.tokenOf('flows'))
  const graph = graphOf(
    {
      wait: ['delay', { delayValue: 60, delayUnit: 'seconds' }],
      buy: ['placeOrder', { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1 }],
    },
    't -> wait',
    'wait -> buy',
  )
  const run = async (address: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/flow/api/run`, {
      method: 'POST',
      headers: { ...headers, ...from(address), 'content-type': 'application/json' },
      body: JSON.stringify(graph),
    })
    return response.text()
  }
  const [banned, other] = [run(ATTACKER), run('198.51.100.1')]
  const { pending } = http.desk.clock
  await eventually(() => http.desk.clock.pending >= pending + 2, 'both runs wait')
  await http.daemon.service.security.ban(ATTACKER, MANUAL)
  expect(await banned).not.toContain('result')
  expect(await http.desk.settled(other)).toContain('"completed"')
  expect(await http.desk.ledger()).toHaveLength(1)
})

test('the traffic log has one row a minute of a banned client, also of a WebSocket', async () => {
  const http = await HttpDesk.open(PROXIED)
  const { port } = await http.listen()
  const { security, traffic } = http.daemon.service
  await security.ban(ATTACKER, MANUAL)
  await security.ban('203.0.113.8', MANUAL)
  for (let n = 0; n < 5; n++) await exchange(port, 'GET /version', from(ATTACKER))
  for (let n = 0; n < 5; n++) await exchange(port, 'GET /events', { ...UPGRADE, ...from('203.0.113.8') })
  await eventually(async () => (await traffic.list({ limit: 9 })).length >= 2, 'the rows are there')
  const rows = await traffic.list({ limit: 9 })
  const refused = { statusCode: 403, error: BANNED }
  expect(rows.toReversed()).toMatchObject([
    { clientIp: ATTACKER, path: '/version', ...refused },
    { clientIp: '203.0.113.8', path: '/events', ...refused },
  ])
})

test('a banned client gets a row again after a minute, and a flood of addresses gets no more than 1000', () => {
  let now = 0
  const rows = new BannedRows({ monotonic: () => now })
  expect([rows.take('a'), rows.take('a'), rows.take('b')]).toEqual([true, false, true])
  now = 60_000
  expect([rows.take('a'), rows.take('a')]).toEqual([true, false])
  let taken = 0
  for (let n = 0; n < 2000; n++) if (rows.take(String(n))) taken += 1
  expect(taken).toBe(999)
})
