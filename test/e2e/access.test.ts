import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../support/process/daemon-process.js'
import { EventClient } from '../support/traffic/event-client.js'

/* Access rules: sessions, cookies with their CSRF token, personal access tokens with their scopes. */
let daemon: DaemonProcess
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
})
afterAll(() => daemon.dispose())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const as = (token: string, method: string, path: string, body?: unknown) =>
  daemon.request(method, path, body, bearer(token))

const SESSION_ROUTES: readonly (readonly [string, string])[] = [
  ['GET', '/status'],
  ['GET', '/auth/whoami'],
  ['GET', '/auth/tokens'],
  ['POST', '/auth/tokens'],
  ['POST', '/auth/ws-ticket'],
  ['GET', '/apikey'],
  ['POST', '/apikey'],
  ['POST', '/apikey/mode'],
  ['GET', '/settings/analyze-mode'],
  ['POST', '/settings/analyze-mode/1'],
  ['GET', '/action-center/api/data'],
  ['POST', '/action-center/approve/1'],
  ['POST', '/action-center/approve-all'],
  ['DELETE', '/action-center/delete/1'],
  ['GET', '/orders/journal'],
  ['GET', '/risk'],
  ['PUT', '/risk'],
  ['POST', '/risk/kill-switch'],
  ['GET', '/broker/list'],
  ['POST', '/broker/use'],
  ['POST', '/broker/sync'],
  ['PUT', '/broker/simulated/faults'],
  ['POST', '/sandbox/reset'],
]

describe('without a session', () => {
  for (const [method, path] of SESSION_ROUTES) {
    it(`${method} ${path} is refused`, async () => {
      const body = method === 'GET' ? undefined : {}
      for (const token of ['nonsense', `svc_pat_${'x'.repeat(43)}`, daemon.apikey]) {
        const { status, code } = await as(token, method, path, body)
        expect([status, code]).toEqual([401, 'unauthenticated'])
      }
    })
  }

  it('the event stream is refused too', async () => {
    await expect(new EventClient(daemon).connect(undefined, 'nonsense')).rejects.toThrow('401')
  })
})

describe('a cookie', () => {
  const signIn = async () => {
    const reply = await daemon.send<{ csrf_token: string }>('/auth/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: USERNAME, password: PASSWORD }),
    })
    const cookie = reply.headers.get('set-cookie') ?? ''
    return { cookie, header: cookie.split(';')[0] ?? '', csrf: reply.body.csrf_token }
  }
  const setMode = (headers: Record<string, string>) =>
    daemon.send('/settings/analyze-mode/0', { method: 'POST', headers })

  it('cannot be read by scripts or sent by other sites', async () => {
    const { cookie } = await signIn()
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Lax/i)
  })

  it('allows reads alone, and writes only with its CSRF token', async () => {
    const { header: cookie, csrf } = await signIn()
    expect((await daemon.send('/status', { headers: { cookie } })).status).toBe(200)
    expect((await setMode({ cookie })).status).toBe(400)
    expect((await setMode({ cookie, 'x-csrf-token': 'nonsense' })).status).toBe(400)
    const other = await signIn()
    expect((await setMode({ cookie, 'x-csrf-token': other.csrf })).status).toBe(400)
    expect((await setMode({ cookie, 'x-csrf-token': csrf })).status).toBe(200)
  })

  it('ends with its session', async () => {
    const { header: cookie, csrf } = await signIn()
    const headers = { cookie, 'x-csrf-token': csrf }
    expect((await daemon.send('/auth/logout', { method: 'POST', headers })).status).toBe(200)
    expect((await daemon.send('/status', { headers })).status).toBe(401)
  })
})

describe('a personal access token', () => {
  const tokenWith = async (...scopes: string[]) => {
    const name = `${scopes.join('-')}-${Math.random()}`
    const reply = await daemon.request<{ token: string; data: { id: number } }>('POST', '/auth/tokens', {
      name,
      scopes,
    })
    expect(reply.status).toBe(201)
    return { token: reply.body.token, id: reply.body.data.id }
  }

  const CASES: readonly (readonly [string, string, unknown, string[], string[]])[] = [
    ['GET', '/risk', undefined, ['read', 'admin'], ['approvals', 'settings']],
    ['PUT', '/risk', {}, ['admin'], ['read', 'orders', 'settings']],
    ['POST', '/settings/analyze-mode/0', {}, ['settings', 'admin'], ['read', 'orders', 'approvals']],
    ['GET', '/action-center/api/data', undefined, ['read', 'approvals'], ['settings']],
    ['POST', '/action-center/approve-all', {}, ['approvals', 'admin'], ['read', 'orders', 'settings']],
    ['GET', '/orders/journal', undefined, ['read', 'orders'], ['settings']],
    ['GET', '/auth/tokens', undefined, ['admin'], ['read', 'settings', 'orders']],
    ['GET', '/apikey', undefined, ['admin'], ['read', 'settings']],
    ['GET', '/broker/status', undefined, ['read', 'admin'], ['orders']],
    ['POST', '/broker/logout', {}, ['admin'], ['read', 'settings']],
  ]
  for (const [method, path, body, allowed, refused] of CASES) {
    it(`${method} ${path} allows only the scope ${allowed.join(' or ')}`, async () => {
      for (const scope of refused) {
        const { status, code } = await as((await tokenWith(scope)).token, method, path, body)
        expect([scope, status, code]).toEqual([scope, 403, 'forbidden'])
      }
      for (const scope of allowed) {
        expect([scope, (await as((await tokenWith(scope)).token, method, path, body)).status]).toEqual([
          scope,
          200,
        ])
      }
    })
  }

  it('survives a kill, and stops working once revoked, also on an open event stream', async () => {
    const { token, id } = await tokenWith('read')
    await daemon.crash()
    expect((await as(token, 'GET', '/status')).status).toBe(200)
    const client = new EventClient(daemon)
    await client.connect(undefined, token)
    expect((await daemon.request('DELETE', `/auth/tokens/${id}`)).status).toBe(200)
    expect((await as(token, 'GET', '/status')).status).toBe(401)
    await eventually(() => client.closeCode === 4401, 'the stream is closed')
    await daemon.crash()
    expect((await as(token, 'GET', '/status')).status).toBe(401)
  })
})
