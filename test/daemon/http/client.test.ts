import { createServer } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '../../../src/core/config/index.js'
import { guardConnections } from '../../../src/daemon/http/admission/connections.js'
import {
  callerAddress,
  callIn,
  callOf,
  isLocalCall,
  isOverTls,
  ownAddress,
  TrustedProxies,
} from '../../../src/daemon/http/client.js'
import type { AppEnv } from '../../../src/daemon/process/env.js'
import { USER } from '../../support/desk/desk.js'
import { HttpDesk, PASSWORD } from '../../support/desk/http-desk.js'
import { tempDir } from '../../support/files/temp.js'

const CLIENT = '203.0.113.9'

/** Returns the client address that a service with these settings sees. */
async function seen(env: Record<string, string>, peer: string, headers: Record<string, string>) {
  const { values } = loadConfig({ home: tempDir(), env })
  const proxies = new TrustedProxies(values)
  const app = new Hono<AppEnv>().get('/', (c) =>
    c.json({
      address: callerAddress(callOf(c), proxies),
      own: ownAddress(callOf(c), proxies) ?? null,
      tls: isOverTls(c, proxies),
      local: isLocalCall(c),
    }),
  )
  const response = await app.request('/', { headers }, { incoming: { socket: { remoteAddress: peer } } })
  return (await response.json()) as {
    address: string
    own: string | null
    tls: boolean
    local: boolean
  }
}

const TRUSTING = { TRUST_PROXY_HEADERS: 'true' }

describe('proxy headers', () => {
  test('count when a proxy of this machine sends them, without further settings', async () => {
    const headers = { 'x-real-ip': CLIENT, 'x-forwarded-proto': 'https' }
    expect(await seen(TRUSTING, '::ffff:127.0.0.1', headers)).toEqual({
      address: CLIENT,
      own: CLIENT,
      tls: true,
      local: false,
    })
  })

  test.each([
    [TRUSTING, '192.0.2.1'],
    [{ ...TRUSTING, TRUSTED_PROXIES: '10.0.0.0/8' }, '127.0.0.1'],
    [{ TRUSTED_PROXIES: '10.0.0.0/8' }, '10.1.2.3'],
  ])('are ignored under %j from %s', async (env, peer) => {
    const headers = { 'x-real-ip': CLIENT, 'x-forwarded-for': CLIENT, 'x-forwarded-proto': 'https' }
    expect(await seen(env, peer, headers)).toEqual({
      address: peer,
      own: null,
      tls: false,
      local: false,
    })
  })

  test('count from the networks of the settings, of both families', async () => {
    const env = { ...TRUSTING, TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32' }
    for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', '2001:db8::7']) {
      expect(await seen(env, peer, { 'x-forwarded-for': CLIENT })).toMatchObject({
        address: CLIENT,
        own: CLIENT,
      })
    }
  })

  test('name the client in their fixed order, also when they disagree', async () => {
    const headers = {
      'cf-connecting-ip': '203.0.113.1',
      'true-client-ip': '203.0.113.2',
      'x-real-ip': '203.0.113.3',
      'x-forwarded-for': '203.0.113.4, 203.0.113.6',
      'x-client-ip': '203.0.113.5',
    }
    for (const [index, header] of Object.keys(headers).entries()) {
      const left = Object.fromEntries(Object.entries(headers).slice(index))
      const named = left[header]?.split(', ').at(-1)
      // The first one decides, but a caller may have made it up, so it is not certainly the caller's own.
      const own = index === 4 ? named : null
      expect(await seen(TRUSTING, '127.0.0.1', left)).toMatchObject({ address: named, own })
    }
  })

  test('count for the address that the nearest proxy saw, not for addresses that the client added', async () => {
    const env = { ...TRUSTING, TRUSTED_PROXIES: '127.0.0.1, 198.51.100.0/24' }
    for (const made of ['1.1.1.1', '2.2.2.2, 3.3.3.3', '', 'x']) {
      const headers = { 'x-forwarded-for': `${made}, ${CLIENT}, 198.51.100.7` }
      expect(await seen(env, '127.0.0.1', headers)).toMatchObject({ address: CLIENT })
    }
  })

  test('with a last entry that is no address name nobody, least of all the address before it', async () => {
    const headers = { 'x-forwarded-for': `${CLIENT}, _hidden` }
    expect(await seen(TRUSTING, '127.0.0.1', headers)).toMatchObject({ address: '127.0.0.1', own: null })
  })

  test('with no address in them count for the proxy', async () => {
    expect(await seen(TRUSTING, '127.0.0.1', { 'x-real-ip': 'unknown' })).toMatchObject({
      address: '127.0.0.1',
      own: null,
    })
  })

  test('with text in one and an address in another count for the address', async () => {
    const headers = { 'cf-connecting-ip': 'made up', 'x-real-ip': CLIENT }
    expect(await seen(TRUSTING, '127.0.0.1', headers)).toMatchObject({ address: CLIENT })
  })

  test.each([
    ['::ffff:203.0.113.9', CLIENT],
    ['::FFFF:cb00:7109', CLIENT],
    ['203.0.113.9:41234', CLIENT],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('that give an address as %s mean %s', async (text, address) => {
    for (const header of ['x-real-ip', 'x-forwarded-for']) {
      const found = await seen(TRUSTING, '::ffff:7f00:1', { [header]: text })
      expect(found).toMatchObject({ address, own: address })
    }
  })
})

describe('CLIENT_IP_HEADER', () => {
  const naming = (CLIENT_IP_HEADER: string) => ({ ...TRUSTING, CLIENT_IP_HEADER })
  const others = { 'cf-connecting-ip': '1.1.1.1', 'x-forwarded-for': '2.2.2.2', 'x-client-ip': '3.3.3.3' }

  test('makes that header count, and no other', async () => {
    const headers = { ...others, 'x-real-ip': CLIENT }
    const found = await seen(naming('X-Real-IP'), '127.0.0.1', headers)
    expect(found).toMatchObject({ address: CLIENT, own: CLIENT })
    expect(await seen(naming('X-Real-IP'), '127.0.0.1', others)).toMatchObject({
      address: '127.0.0.1',
      own: null,
    })
  })

  test('may name the list of addresses, or the header of a hoster', async () => {
    const list = { 'x-forwarded-for': `1.1.1.1, ${CLIENT}`, 'x-real-ip': '2.2.2.2' }
    expect(await seen(naming('x-forwarded-for'), '127.0.0.1', list)).toMatchObject({ address: CLIENT })
    const hoster = { ...others, 'fly-client-ip': CLIENT }
    expect(await seen(naming('Fly-Client-IP'), '127.0.0.1', hoster)).toMatchObject({ address: CLIENT })
  })

  test('counts from trusted proxies only', async () => {
    expect(await seen(naming('X-Real-IP'), '192.0.2.1', { 'x-real-ip': CLIENT })).toMatchObject({
      address: '192.0.2.1',
    })
    const untrusting = { CLIENT_IP_HEADER: 'X-Real-IP' }
    expect(await seen(untrusting, '127.0.0.1', { 'x-real-ip': CLIENT })).toMatchObject({
      address: '127.0.0.1',
    })
  })

  test.each(['Forwarded', 'X Real IP', 'a:b', 'é'])('may not be %j', (CLIENT_IP_HEADER) => {
    expect(() => loadConfig({ home: tempDir(), env: { CLIENT_IP_HEADER } })).toThrow(/CLIENT_IP_HEADER/)
  })
})

describe('a connection whose address is not known any more', () => {
  test('is neither one of this machine nor a trusted proxy', () => {
    const { values } = loadConfig({ home: tempDir(), env: TRUSTING })
    const proxies = new TrustedProxies(values)
    const call = callIn({ headers: { 'x-real-ip': CLIENT }, socket: new Socket() })
    expect(callerAddress(call, proxies)).toBe('unknown')
    expect(ownAddress(call, proxies)).toBeUndefined()
  })

  test('is known on every port, because the server reads it when the connection opens', async () => {
    const { server, addressAfterClosing } = await serverThatForgets()
    expect(await addressAfterClosing()).toBe('unknown')
    guardConnections(server, { isShared: () => true })
    expect(await addressAfterClosing()).toBe('127.0.0.1')
  })
})

/** Returns a server, and the address of a caller that it sees after that caller has hung up. */
async function serverThatForgets() {
  let answer: (address: string) => void = () => undefined
  const server = createServer((request) => {
    request.socket.destroy()
    answer(callIn(request).peer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const addressAfterClosing = () =>
    new Promise<string>((resolve) => {
      answer = resolve
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
      socket.on('error', () => undefined)
    })
  return { server, addressAfterClosing }
}

test.each([
  ['a direct connection is', '192.0.2.1', true],
  ['the same in its IPv6 form is', '::ffff:192.0.2.1', true],
  // A tunnel that sets no header connects from here, too.
  ['a connection from this machine is not', '127.0.0.1', false],
  ['a connection from this machine over IPv6 is not', '::1', false],
])("%s the caller's own address", async (_name, peer, isOwn) => {
  const address = peer.replace('::ffff:', '')
  expect(await seen({}, peer, {})).toMatchObject({ address, own: isOwn ? address : null })
})

test.each(['forwarded', 'via', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-server'])(
  'a call with the header %s alone is forwarded, so it is neither local nor from an own address',
  async (header) => {
    expect(await seen({}, '192.0.2.1', { [header]: 'x' })).toMatchObject({ own: null })
    expect(await seen({}, '127.0.0.1', { [header]: 'x', host: '127.0.0.1' })).toMatchObject({ local: false })
    expect(await seen({}, '127.0.0.1', { host: '127.0.0.1' })).toMatchObject({ local: true })
  },
)

describe('behind a proxy, an account that has to wait', () => {
  async function waiting(env: Record<string, string>) {
    const http = await HttpDesk.open({ env: { ...env, LOGIN_RATE_LIMIT_MIN: '1000 per minute' } })
    const signIn = async (headers: Record<string, string>, password = PASSWORD) => {
      const body = { username: USER, password }
      return (await http.request('POST', '/auth/login', { body, headers })).status
    }
    const guess = async () => {
      for (let n = 0; n < 6; n++) await signIn({ 'x-forwarded-for': '198.51.100.66' }, 'Wrong-1!')
    }
    return { signIn, guess }
  }

  test('lets in the address that signed in before, and no other client of the proxy', async () => {
    const { signIn, guess } = await waiting(TRUSTING)
    // The owner's browser sends a header of its own, so the displayed address is not the one that counts.
    const owner = (made: string) => ({ 'x-forwarded-for': `${made}, ${CLIENT}` })
    expect(await signIn(owner('1.1.1.1'))).toBe(200)
    await guess()
    expect(await signIn({ 'x-forwarded-for': '203.0.113.50' })).toBe(429)
    expect(await signIn({ 'x-forwarded-for': `${CLIENT}, 203.0.113.50` })).toBe(429)
    expect(await signIn(owner('2.2.2.2'))).toBe(200)
  })

  test('lets in nobody after a sign-in whose headers disagree', async () => {
    const { signIn, guess } = await waiting(TRUSTING)
    const unnamed = { 'x-forwarded-for': CLIENT, 'cf-connecting-ip': '1.1.1.1' }
    expect(await signIn(unnamed)).toBe(200)
    await guess()
    expect(await signIn({ 'x-forwarded-for': '203.0.113.50', 'x-real-ip': '2.2.2.2' })).toBe(429)
    expect(await signIn(unnamed)).toBe(429)
  })

  test('lets in nobody through a proxy that is not trusted', async () => {
    const { signIn, guess } = await waiting({})
    expect(await signIn({ 'x-forwarded-for': CLIENT })).toBe(200)
    await guess()
    expect(await signIn({ 'x-forwarded-for': CLIENT })).toBe(429)
    expect(await signIn({ 'x-forwarded-for': '203.0.113.50' })).toBe(429)
  })
})

test.each(['10.0.0.0/33', '10.0.0.0/', 'proxy.internal', '10.0.0.1,,::1', '::/129'])(
  'TRUSTED_PROXIES may not be %j',
  (TRUSTED_PROXIES) => {
    expect(() => loadConfig({ home: tempDir(), env: { TRUSTED_PROXIES } })).toThrow(/TRUSTED_PROXIES/)
  },
)

test('with CLIENT_IP_HEADER, the login limit is not passed by varying a header that the proxy does not set', async () => {
  const env = { ...TRUSTING, CLIENT_IP_HEADER: 'X-Forwarded-For', LOGIN_RATE_LIMIT_MIN: '5 per minute' }
  const http = await HttpDesk.open({ env })
  const signIn = (made: string) =>
    http.request('POST', '/auth/login', {
      body: { username: 'nobody', password: PASSWORD },
      headers: { 'x-forwarded-for': `${made}, ${CLIENT}`, 'cf-connecting-ip': made },
    })
  const statuses: number[] = []
  for (let guess = 0; guess < 7; guess++) statuses.push((await signIn(`1.1.1.${guess}`)).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
})

test('behind Cloudflare and nginx, each client has its own login limit, and its session shows its address', async () => {
  const http = await HttpDesk.open({ env: { ...TRUSTING, LOGIN_RATE_LIMIT_MIN: '5 per minute' } })
  const edge = { 'x-real-ip': '172.68.0.1', 'x-forwarded-for': `${CLIENT}, 172.68.0.1` }
  const signIn = async (address: string, username: string) => {
    const headers = { ...edge, 'cf-connecting-ip': address }
    const body = { username, password: PASSWORD }
    return (await http.request('POST', '/auth/login', { body, headers })).status
  }
  const guesses: number[] = []
  for (let guess = 0; guess < 6; guess++) guesses.push(await signIn('198.51.100.66', `nobody-${guess}`))
  expect(guesses).toEqual([401, 401, 401, 401, 401, 429])
  expect(await signIn(CLIENT, USER)).toBe(200)
  expect(http.daemon.service.identity.sessions.list(USER)).toMatchObject([{ ip_address: CLIENT }])
})

test('an IPv6 client does not pass the login limit with another address of its network', async () => {
  const env = { ...TRUSTING, CLIENT_IP_HEADER: 'X-Real-IP', LOGIN_RATE_LIMIT_MIN: '5 per minute' }
  const http = await HttpDesk.open({ env })
  const signIn = async (address: string) => {
    // Another account each time: the wait of an account is not the limit of an address.
    const body = { username: `nobody-${address}`, password: PASSWORD }
    return (await http.request('POST', '/auth/login', { body, headers: { 'x-real-ip': address } })).status
  }
  const statuses: number[] = []
  for (let guess = 0; guess < 7; guess++) statuses.push(await signIn(`2001:db8:1:2:${guess}::${guess}`))
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  expect(await signIn('2001:db8:1:3::1')).toBe(401)
})

test('a refused Host names the setting, and ALLOWED_HOSTS lets the name of a tunnel in', async () => {
  const asked = async (env: Record<string, string>, host: string) => {
    const http = await HttpDesk.open({ env })
    return http.request('GET', '/version', { headers: { host } })
  }
  const refused = await asked({}, 'desk.tunnel.example')
  expect(refused.status).toBe(403)
  expect(refused.body.message).toBe(
    'Host: "desk.tunnel.example" is not a name of this service. Use its address or localhost, or list the name in ALLOWED_HOSTS.',
  )
  const env = { ALLOWED_HOSTS: 'desk.tunnel.example, other.example:8443' }
  for (const host of ['desk.tunnel.example', 'DESK.tunnel.example:443', 'other.example:8443', 'localhost']) {
    expect([host, (await asked(env, host)).status]).toEqual([host, 200])
  }
  for (const host of ['evil.example', 'other.example', 'x.desk.tunnel.example']) {
    expect([host, (await asked(env, host)).status]).toEqual([host, 403])
  }
  const proxied = { ...TRUSTING, ...env }
  expect((await asked(proxied, 'evil.example')).status).toBe(403)
})
