import http from 'node:http'
import { createServer, Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type AskedDaemon, noAnswerError } from '../../../src/cli/http/no-answer.js'
import { exchange, failureOf } from '../../../src/client/transport/exchange.js'
import { LightDaemon } from '../../support/daemons/light-daemon.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

/** Runs one command against a server that does this with each connection. */
async function against(onRequest: (socket: Socket) => void, command = 'risk show') {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => onRequest(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const desk = await CliDesk.open()
  const url = `http://127.0.0.1:${address.port}`
  const ran = await desk.svc(command, { env: { SVC_URL: url, SVC_TOKEN: 'svc_token' } })
  server.close()
  return { ...ran, url }
}

const TOO_FEW = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a"'

test.each<[string, (socket: Socket) => void, string]>([
  ['is reset', (socket) => socket.resetAndDestroy(), 'ECONNRESET'],
  ['hangs up before the answer', (socket) => socket.end(), 'ECONNRESET'],
  ['ends within the answer', (socket) => socket.end(TOO_FEW), 'ECONNRESET'],
  ['answers something else than HTTP', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), 'HPE_'],
])('a read whose connection %s is not called a missing daemon', async (_, onRequest, reason) => {
  const { exit, stderr, url } = await against(onRequest)
  expect([exit, stderr]).toEqual([7, expect.stringContaining(`No whole answer came from ${url} (${reason}`)])
  expect(stderr).not.toMatch(/No daemon|svc up/)
})

test('svc status says that something listens, and ends with 1', async () => {
  const { exit, stdout, stderr } = await against((socket) => socket.resetAndDestroy(), 'status')
  expect([exit, stdout]).toEqual([1, expect.stringContaining('no_answer')])
  expect(stderr).not.toMatch(/No daemon|svc up/)
})

test('svc doctor and the event stream do not say it either', async () => {
  for (const command of ['doctor', 'events', 'stream NSE:SBIN --apikey k']) {
    const { stdout, stderr } = await against((socket) => socket.resetAndDestroy(), command)
    expect([command, stdout + stderr]).toEqual([
      command,
      expect.not.stringMatching(/no daemon|svc up --detach/i),
    ])
  }
})

test('a redirect is not followed, and names where it leads', async () => {
  const other = await LightDaemon.open()
  const { exit, stderr } = await against((socket) =>
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${other.url}/x\r\ncontent-length: 0\r\n\r\n`),
  )
  expect([exit, stderr]).toEqual([
    7,
    expect.stringContaining(`redirects to ${other.url}; a credential does not follow`),
  ])
  expect(other.seen).toEqual([])
})

const LOCAL: AskedDaemon = { url: 'http://127.0.0.1:5000', source: 'home', context: undefined, trust: {} }
const REMOTE: AskedDaemon = {
  url: 'https://desk.example.com',
  source: 'context',
  context: { name: 'prod', colour: undefined },
  trust: { id: 'a'.repeat(32) },
}

test.each([
  ['ECONNREFUSED', 'no_daemon', /^No daemon answers at U \(ECONNREFUSED\)\.$/, /^On its machine/],
  ['ENOTFOUND', 'unknown_host', /^The host name desk.example.com cannot be resolved/, /name server/],
  ['EAI_AGAIN', 'unknown_host', /cannot be resolved \(EAI_AGAIN\)/, /name server/],
  ['EHOSTUNREACH', 'unreachable', /^The address U cannot be reached/, /Check the network/],
  ['ECONNRESET', 'broken_answer', /^No whole answer came from U \(ECONNRESET\)\.$/, /Try again/],
  ['EPIPE', 'broken_answer', /No whole answer/, /Try again/],
  ['ETIMEDOUT', 'broken_answer', /No whole answer/, /Try again/],
  ['CERT_HAS_EXPIRED', 'tls_expired', /^The certificate of U has expired/, /Renew it/],
  ['CERT_NOT_YET_VALID', 'tls_early', /is not valid yet/, /clock/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_authority', /an authority that is not known here/, /--ca-file FILE/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_name', /for other names than desk.example.com/, /Use a name/],
  ['EPROTO', 'no_tls', /does not speak TLS/, /Check the port/],
])('after %s the code is %s, with its own next step', (system, code, message, hint) => {
  const cause = Object.assign(new Error('socket'), { code: system })
  const error = noAnswerError(REMOTE, new Error('The request failed', { cause }))
  expect(error).toMatchObject({ exit: 7, code, hint: expect.stringMatching(hint) })
  expect(error.message.replace(REMOTE.url, 'U')).toMatch(message)
  // Nobody can start a daemon elsewhere.
  expect(error.hint).not.toContain('svc up')
})

test('a connection that is not taken in time was never sent', () => {
  const cause = Object.assign(new Error('connect'), { code: 'ETIMEDOUT', syscall: 'connect' })
  expect(noAnswerError(REMOTE, cause)).toMatchObject({ exit: 7, code: 'connect_timeout' })
})

/** A socket that never connects, as one whose packets a firewall drops. */
const blackHole = () => Object.assign(new Socket(), { connecting: true })

test.each(['risk show', 'risk kill --yes'])(
  'a machine that drops the connection is no daemon, and nothing was sent: %s',
  async (command) => {
    const desk = await CliDesk.open()
    vi.spyOn(http.Agent.prototype, 'createConnection').mockImplementation(blackHole)
    onTestFinished(() => void vi.restoreAllMocks())
    const env = { SVC_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'svc_token' }
    const { exit, stderr } = await desk.svc(`${command} --timeout 50ms`, { env })
    expect([exit, stderr]).toEqual([7, expect.stringContaining('did not take the connection within 0.05 s')])
    expect(stderr).toContain('firewalls')
  },
)

test('the same holds for a connection that is to be proved first', async () => {
  vi.spyOn(http.Agent.prototype, 'createConnection').mockImplementation(blackHole)
  onTestFinished(() => void vi.restoreAllMocks())
  const asked = exchange(
    'http://127.0.0.1:9',
    { method: 'GET', path: '/version' },
    {
      signal: AbortSignal.timeout(50),
      userAgent: 'test',
      trust: { id: 'b'.repeat(32) },
    },
  )
  const thrown: unknown = await asked.catch((error: unknown) => error)
  expect(failureOf(thrown)).toMatchObject({ isConnected: false, sent: false })
})

test('only a local daemon that is down is to be started', () => {
  const refused = Object.assign(new Error('socket'), { code: 'ECONNREFUSED' })
  const reset = Object.assign(new Error('socket'), { code: 'ECONNRESET' })
  expect(noAnswerError(LOCAL, refused).hint).toBe('Start it: svc up --detach')
  expect(noAnswerError(LOCAL, reset).hint).not.toContain('svc up')
  const tunnel = { ...REMOTE, url: 'http://127.0.0.1:5001' }
  expect(noAnswerError(tunnel, refused).hint).toMatch(/a tunnel that leads there/)
})

const authorities = join(import.meta.dirname, '../../fixtures/tls/ca.pem')

test.each([
  ['good', `--ca-file ${authorities}`, 0, ''],
  ['good', '', 7, 'comes from an authority that is not known here'],
  ['other', `--ca-file ${authorities}`, 7, 'is for other names than 127.0.0.1 (it has desk.example.com)'],
  ['expired', `--ca-file ${authorities}`, 7, 'has expired (CERT_HAS_EXPIRED)'],
] as const)('a daemon with the certificate %s: svc whoami %s', async (tls, options, exit, said) => {
  const data = { username: 'asha', kind: 'session', scopes: [], expires_at: null }
  const daemon = await LightDaemon.open({ tls, routes: { 'GET /auth/whoami': { status: 'success', data } } })
  const desk = await CliDesk.open()
  const env = { SVC_URL: daemon.url, SVC_TOKEN: 'svc_token', NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const ran = await desk.svc(`whoami ${options}`, { env })
  expect([ran.exit, ran.stderr]).toEqual([exit, expect.stringContaining(said)])
  if (exit !== 0) expect(daemon.seen).toEqual([])
})

test('TLS at a port that speaks none is its own message', async () => {
  const daemon = await LightDaemon.open()
  const desk = await CliDesk.open()
  const env = { SVC_URL: daemon.url.replace('http:', 'https:'), SVC_TOKEN: 'svc_token' }
  expect(await desk.svc('whoami', { env })).toMatchObject({
    exit: 7,
    stderr: expect.stringContaining('does not speak TLS'),
  })
})

test('a wait that ends without an answer names the time', async () => {
  const { exit, stderr } = await against(() => undefined, 'risk show --timeout 50ms')
  expect([exit, stderr]).toEqual([1, expect.stringMatching(/^error: No answer from .* within 0.05 s/)])
})

/** Every command that sends an order or changes one, with what it reads from stdin. */
const SENDS: readonly (readonly [line: string, stdin: string])[] = [
  ['order place SBIN NSE BUY 1', ''],
  ['order smart SBIN NSE BUY --position-size 1', ''],
  ['order split SBIN NSE BUY 10 --split-size 5', ''],
  ['order basket -', '[{"symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":1}]'],
  ['order modify 26112100000001 --price 800', ''],
  ['order cancel 26112100000001', ''],
  ['order cancel-all --yes', ''],
  ['order gtt cancel GTT-261121-00000001', ''],
  ['position close SBIN NSE', ''],
  ['position close-all --yes', ''],
  ['do b 1 sbin 800', ''],
  ['do x sbin', ''],
  ['approval approve 1 --yes', ''],
  ['risk kill --yes', ''],
  ['api POST /api/v1/cancelallorder -f strategy=cli', ''],
]

test.each(SENDS)('without a daemon nothing was sent, and it is said: svc %s', async (line, stdin) => {
  const desk = await CliDesk.open()
  const env = { SVC_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'svc_token', SVC_API_KEY: 'key' }
  const { exit, stderr } = await desk.svc(line, { env, stdin })
  expect([exit, stderr]).toEqual([7, expect.stringContaining('(ECONNREFUSED). Nothing was sent. Start it:')])
  expect(stderr.match(/Nothing was sent/g)).toHaveLength(1)
})

test('a read says nothing of sending', async () => {
  const desk = await CliDesk.open()
  const env = { SVC_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'svc_token', SVC_API_KEY: 'key' }
  for (const line of ['order list', 'position list', 'risk show', 'api GET /risk']) {
    expect((await desk.svc(line, { env })).stderr).not.toContain('sent')
  }
})

test.each([
  ['order place SBIN NSE BUY 1', /Repeat it safely with --idempotency-key \S+, or check: svc order journal/],
  ['order cancel 26112100000001', /See its state: svc order status 26112100000001/],
  ['order cancel-all --yes', /See which orders still wait: svc order list --status open/],
  ['order gtt cancel GTT-261121-00000001', /See its state: svc order gtt list/],
])('an order that may have been sent says how to look it up: svc %s', async (line, next) => {
  const daemon = await LightDaemon.open()
  daemon.answerAll(({ url = '', socket }, response) => {
    if (url.includes('/desk')) return void response.writeHead(404).end('{}')
    socket.destroy()
  })
  const desk = await CliDesk.open()
  const env = { SVC_URL: daemon.url, SVC_TOKEN: 'svc_token', SVC_API_KEY: 'key' }
  const { exit, stderr } = await desk.svc(line, { env })
  expect([exit, stderr]).toEqual([8, expect.stringMatching(next)])
  expect(stderr).not.toContain('Nothing was sent')
})
