import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.js'
import { Authenticator } from '../support/process/authenticator.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../support/process/daemon-process.js'

/* An attacker behind the same proxy as the owner, against the real process. */
const BANNED = 'Access Denied: Your IP has been banned'
const SCANNER = '203.0.113.7'
const GUESSER = '2001:db8:1:2::7'
const THIEF = '203.0.113.99'
const OWNER = '198.51.100.1'

let daemon: DaemonProcess
let wsUrl = ''
beforeAll(async () => {
  daemon = await DaemonProcess.ready({ TRUST_PROXY_HEADERS: 'true', CLIENT_IP_HEADER: 'X-Real-IP' })
  readStreamUrl()
  const settings = { auto_ban_enabled: true, threshold_404: 20, threshold_api: 20 }
  expect((await daemon.request('POST', '/security/settings', settings)).status).toBe(200)
})
afterAll(() => daemon.dispose())

function readStreamUrl(): void {
  const facts: { ws_url: string } = JSON.parse(readFileSync(join(daemon.home, 'daemon.json'), 'utf8'))
  wsUrl = facts.ws_url
}

const key = (n: number) => n.toString(16).padStart(64, '0')

/** Requests as an address, and returns status and text. */
async function as(address: string, path: string, init: RequestInit = {}) {
  const headers = { ...init.headers, 'x-real-ip': address }
  const response = await fetch(daemon.url + path, { ...init, headers })
  return { status: response.status, text: await response.text() }
}

const guess = (address: string, n: number) =>
  as(address, '/api/v1/funds', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apikey: key(n) }),
  })

async function owner() {
  const api = await daemon.api('funds', {}, { 'x-real-ip': OWNER })
  const session = await daemon.request('GET', '/status', undefined, { 'x-real-ip': OWNER })
  expect([api.status, session.status]).toEqual([200, 200])
}

function open(url: string, address: string): WebSocket {
  const socket = new WebSocket(url, {
    headers: { 'x-real-ip': address, authorization: `Bearer ${daemon.token}` },
  })
  socket.on('error', () => undefined)
  return socket
}

async function statusOf(socket: WebSocket): Promise<number> {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }]
  socket.terminate()
  return response.statusCode
}

const doors = () => [
  `${daemon.url.replace('http', 'ws')}/events`,
  `${daemon.url.replace('http', 'ws')}/ws`,
  wsUrl,
]

async function expectShut(address: string): Promise<void> {
  for (const path of ['/version', '/health/live', '/nowhere']) {
    expect(await as(address, path)).toEqual({ status: 403, text: BANNED })
  }
  for (const door of doors()) expect(await statusOf(open(door, address))).toBe(403)
}

it('a scanner is banned at every door, and the owner beside it never is', async () => {
  const sockets = doors().map((door) => open(door, SCANNER))
  const ownSockets = doors().map((door) => open(door, OWNER))
  await Promise.all([...sockets, ...ownSockets].map((socket) => once(socket, 'open')))
  for (let n = 0; n < 20; n++) {
    // Another header does not make the scanner another client.
    const headers = { 'x-forwarded-for': OWNER, 'cf-connecting-ip': `192.0.2.${n}` }
    expect((await as(SCANNER, `/scan-${n}.php`, { headers })).status).toBe(404)
    // The owner mistypes, signed in, as often.
    expect((await daemon.request('GET', '/statuss', undefined, { 'x-real-ip': OWNER })).status).toBe(404)
  }
  await expectShut(SCANNER)
  expect((await as(SCANNER, '/version', { headers: { 'cf-connecting-ip': '192.0.2.9' } })).text).toBe(BANNED)
  expect((await as(`::ffff:${SCANNER}`, '/version')).text).toBe(BANNED)
  await eventually(
    () => sockets.every(({ readyState }) => readyState === WebSocket.CLOSED),
    'the open sockets of the scanner are closed',
  )
  expect(ownSockets.map(({ readyState }) => readyState)).toEqual([1, 1, 1])
  for (const socket of ownSockets) socket.terminate()
  await owner()
})

it('a guesser of keys is banned by network, also when it guesses over the market stream', async () => {
  const wrongBot = () => guess(OWNER, 999)
  for (let n = 0; n < 10; n++) {
    expect((await guess(`2001:db8:1:2:${n}::1`, n)).status).toBe(403)
    // A bot of the owner has one key that is out of date.
    expect((await wrongBot()).text).toContain('Invalid svc apikey')
  }
  for (let n = 10; n < 20; n++) {
    const socket = open(wsUrl, GUESSER)
    await once(socket, 'open')
    socket.send(JSON.stringify({ action: 'authenticate', api_key: key(n) }))
    await Promise.race([once(socket, 'message'), once(socket, 'close')])
    socket.terminate()
  }
  await expectShut(GUESSER)
  await owner()
})

it('a thief with the password and a used code does not get in; the owner does meanwhile', async () => {
  const app = await Authenticator.of(daemon)
  await app.turnOn(daemon)
  const post = (address: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    return as(address, path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const password = async (address: string) => {
    const { text } = await post(address, '/auth/login', { username: USERNAME, password: PASSWORD })
    const { status, login_token }: { status: string; login_token: string } = JSON.parse(text)
    expect(status).toBe('totp_required')
    return login_token
  }
  const code = (address: string, login_token: string, totp_code: string) =>
    post(address, '/auth/login/totp', { login_token, totp_code })

  const [stolen, owned] = [await password(THIEF), await password(OWNER)]
  const seen = await app.next()
  expect((await code(OWNER, owned, seen)).status).toBe(200)
  expect((await code(THIEF, stolen, seen)).text).toContain('Invalid TOTP code.')
  expect((await code(THIEF, owned, seen)).status, 'the sign-in of the owner has ended').toBe(401)
  const activity = await daemon.request<{ attempts: { ip_address: string; failure_reason: string }[] }>(
    'GET',
    '/security/api/login-activity?status=failed&limit=1',
  )
  expect(activity.body.attempts).toMatchObject([{ ip_address: THIEF, failure_reason: 'reused_totp' }])

  // Guesses have to wait; the owner, from an address that signed in before, has not.
  const guesses: number[] = []
  for (let n = 0; n < 12; n++) guesses.push((await code(THIEF, stolen, `00000${n % 10}`)).status)
  expect(guesses.filter((status) => status !== 401)).toContain(429)
  expect((await code(OWNER, await password(OWNER), await app.next())).status).toBe(200)
  await owner()
})

it('the traffic log shows refused callers, and a banned one cannot fill it', async () => {
  const rows = async (address: string, status: number) => {
    const path = `/traffic/api/logs?client_ip=${address}&status_code=${status}`
    return (await daemon.request<{ path: string; error: string }[]>('GET', path)).body
  }
  for (let n = 0; n < 50; n++) await as(SCANNER, `/again-${n}`)
  const banned = await rows(SCANNER, 403)
  expect(banned[0]).toMatchObject({ error: BANNED })
  // One in each minute that the tests above took.
  expect(banned.length).toBeLessThan(10)
  const limited = await rows(THIEF, 429)
  expect(limited[0]).toMatchObject({ path: '/auth/login/totp', error: expect.stringContaining('Too many') })
})

it('a kill and a restart keep the bans; the machine itself lifts one', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1000))
  await daemon.crash()
  readStreamUrl()
  await expectShut(SCANNER)
  await expectShut(GUESSER)
  await owner()
  const stored = readFileSync(join(daemon.home, 'logs.db'), 'latin1')
  expect(stored).not.toContain(key(19))
  expect((await daemon.request('POST', '/security/unban', { ip_address: GUESSER })).status).toBe(200)
  expect((await as(GUESSER, '/version')).status).toBe(200)
  await expectShut(SCANNER)
})
