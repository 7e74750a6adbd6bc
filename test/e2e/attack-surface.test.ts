import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { DaemonProcess, type Env } from '../support/process/daemon-process.js'

/* The open port of the real daemon: slow senders, forged addresses, foreign names and pages. */

const LIMITS = { LOGIN_RATE_LIMIT_MIN: '5 per minute', LOGIN_RATE_LIMIT_HOUR: '25 per hour' }

async function started(env: Env): Promise<DaemonProcess> {
  const daemon = await DaemonProcess.ready(env)
  onTestFinished(() => daemon.dispose())
  return daemon
}

/** Tries to sign in as somebody else each time, so that only the limit of the address can hold. */
function guess(daemon: DaemonProcess, name: string, headers: Record<string, string>) {
  const body = JSON.stringify({ username: name, password: 'Wrong-Horse-1!' })
  return daemon.send('/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
}

describe('behind a proxy, a client that makes up a header that does not count passes no limit', () => {
  const FORGED = ['cf-connecting-ip', 'true-client-ip', 'x-real-ip', 'x-client-ip'] as const
  const PROXY = { 'x-forwarded-for': '1.2.3.4, 203.0.113.9' }

  it('while another client of the proxy is not held up', async () => {
    const env = { ...LIMITS, TRUST_PROXY_HEADERS: 'true', CLIENT_IP_HEADER: 'X-Forwarded-For' }
    const daemon = await started(env)
    const statuses: number[] = []
    for (let attempt = 0; attempt < 12; attempt++) {
      const made = { [FORGED[attempt % FORGED.length] ?? '']: `198.51.100.${attempt}` }
      statuses.push((await guess(daemon, `guess-${attempt}`, { ...PROXY, ...made })).status)
    }
    expect(statuses).toEqual([...Array(5).fill(401), ...Array(7).fill(429)])
    const other = await guess(daemon, 'another', { 'x-forwarded-for': '203.0.113.10' })
    expect(other.status).toBe(401)
  })

  it('and the refusal says when to try again', async () => {
    const daemon = await started({ ...LIMITS, LOGIN_RATE_LIMIT_MIN: '1 per minute' })
    await guess(daemon, 'first', {})
    const refused = await guess(daemon, 'second', {})
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited'])
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(refused.body).toEqual({
      status: 'error',
      message: 'Rate limit exceeded. Please slow down your requests.',
      retry_after: seconds,
    })
  })
})

describe('the port', () => {
  let daemon: DaemonProcess
  beforeAll(async () => {
    daemon = await DaemonProcess.ready({
      CORS_ENABLED: 'true',
      CORS_ALLOWED_ORIGINS: 'https://desk.example',
    })
  })
  afterAll(() => daemon.dispose())

  const port = () => Number(new URL(daemon.url).port)
  const open = (host = '127.0.0.1'): Socket => {
    const socket = connect(port(), host)
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    return socket
  }

  it('is open on loopback only', async () => {
    const elsewhere = connect(port(), '127.0.0.2')
    const [error] = (await once(elsewhere, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNREFUSED')
  })

  it('serves an honest client while hundreds of slow ones hold it, and closes them', async () => {
    const heads = Array.from({ length: 300 }, () => open())
    for (const socket of heads)
      socket.write('POST /api/v1/placeorder HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    const bodies = Array.from({ length: 100 }, () => open())
    for (const socket of bodies) {
      socket.write(
        'POST /auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{',
      )
    }
    const dripping = setInterval(() => {
      for (const socket of heads) if (socket.writable) socket.write('x')
    }, 1000)
    onTestFinished(() => clearInterval(dripping))
    for (let order = 0; order < 20; order++) {
      const { status } = await daemon.request('GET', '/status')
      expect(status).toBe(200)
    }
    const answers = heads.map(() => '')
    for (const [index, socket] of heads.entries())
      socket.on('data', (data) => {
        answers[index] += String(data)
      })
    await eventually(() => heads.every(({ destroyed }) => destroyed), 'the slow ones are closed')
    expect(answers.filter((answer) => /^HTTP\/1.1 408 Request Timeout\r\n/.test(answer))).toHaveLength(300)
    expect((await daemon.request('GET', '/status')).status).toBe(200)
  }, 60_000)

  it('answers only to its own names', async () => {
    const socket = open()
    socket.write('GET /version HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1.1 403 /)
  })

  it('lets a listed page call the API, and no other page or route', async () => {
    const preflight = async (path: string, origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' }
      const { status, headers: answered } = await fetch(daemon.url + path, { method: 'OPTIONS', headers })
      return [status, answered.get('access-control-allow-origin')]
    }
    expect(await preflight('/api/v1/placeorder', 'https://desk.example')).toEqual([
      200,
      'https://desk.example',
    ])
    expect(await preflight('/api/v1/placeorder', 'https://evil.example')).toEqual([405, null])
    expect((await preflight('/risk', 'https://desk.example'))[1]).toBeNull()
  })

  it('sends the common headers with every answer', async () => {
    for (const path of ['/version', '/nowhere', '/status', '/api/v1/ping', '/auth/login']) {
      const { headers } = await daemon.send(path, { method: 'GET' })
      expect([path, headers.get('x-content-type-options'), headers.get('x-frame-options')]).toEqual([
        path,
        'nosniff',
        'DENY',
      ])
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(headers.get('permissions-policy')).toContain('camera=()')
      expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    }
  })
})
