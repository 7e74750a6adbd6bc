import { expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../src/core/identity/index.js'
import { ALL_OPERATION_LIST, type NamedOperation } from '../../src/daemon/operations/all.js'
import { API_ROUTES } from '../support/desk/api-routes.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'

/** The routes that everybody may call. They are listed by hand: no row becomes public by a slip. */
const PUBLIC: readonly string[] = [
  'GET /version',
  'GET /market/hours',
  'GET /openapi.json',
  'GET /',
  'GET /docs',
  'GET /docs/reference.js',
  'GET /auth/app-info',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /health/status',
  'GET /health/check',
  'GET /auth/check-setup',
  'GET /auth/session-status',
  'POST /auth/login',
  'POST /auth/login/totp',
  'POST /auth/reset-password',
  'GET /auth/reset-password',
  'GET /auth/reset-password-email/:token',
  'GET /reset-password',
  'POST /setup',
  'POST /api/v1/telegram/webhook',
  'GET /whatsapp/webhook',
  'POST /whatsapp/webhook',
  'GET /setup',
  'GET /manifest.webmanifest',
  'GET /icon.svg',
  'GET /login',
  'GET /auth/login',
  'GET /auth/login/totp',
  'POST /flow/webhook/:token',
  'POST /flow/webhook/:token/:symbol',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-authorization-server/:path',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/:path',
  'GET /mcp/.well-known/oauth-protected-resource',
  'GET /oauth/jwks.json',
  'POST /oauth/register',
  'POST /oauth/token',
  'POST /mcp',
  'GET /mcp',
  'GET /mcp/healthz',
  'POST /oauth/revoke',
  'POST /strategy/webhook/:token',
  'POST /strategy/webhook/:token/:sender',
  'GET /:broker/callback',
  'POST /:broker/postback',
]

/** The routes that every token may call, whatever its scopes. */
const ANY_SCOPE: readonly string[] = [
  'POST /auth/logout',
  'GET /auth/csrf-token',
  'GET /auth/whoami',
  'POST /auth/ws-ticket',
  'GET /auth/reauthenticate',
]

/** The routes that only read, by POST. */
const READ_BY_POST: readonly string[] = [
  'POST /action-center/plan',
  'POST /pnltracker/api/pnl',
  'POST /flow/api/plan',
  'POST /flow/api/symbol-lotsizes',
  'POST /strategy/api/plan',
]

/** The first words of changing routes, and the one scope that allows them. A longer text wins. */
const CHANGED_BY: Readonly<Record<string, Scope>> = {
  '/auth/': 'admin',
  '/apikey': 'admin',
  '/tradingview': 'admin',
  '/gocharting': 'admin',
  '/apikey/mode': 'settings',
  '/settings/': 'settings',
  '/action-center/': 'approvals',
  '/orders/': 'orders',
  '/risk': 'admin',
  '/broker/': 'admin',
  '/sandbox/': 'settings',
  '/analyzer/': 'admin',
  '/security/': 'admin',
  '/health/': 'admin',
  '/admin/': 'admin',
  '/oauth/': 'admin',
  '/backups': 'admin',
  '/api/websocket/': 'settings',
  '/flow/api/': 'flows',
  '/strategy/api/': 'strategies',
  '/messages/': 'settings',
  '/messages/channels/': 'admin',
  '/messages/contacts/': 'admin',
  '/messages/link': 'admin',
}

/**
 * The callers of a route: everybody, the API key, any session credential, or a credential with one of the
 * scopes.
 */
type Guard = 'open' | 'key' | 'any' | readonly Scope[]

function guardOf({ auth, scopes }: NamedOperation): Guard {
  if (auth === 'none') return 'open'
  return auth === 'apikey' ? 'key' : (scopes ?? 'any')
}

const ROUTES: Readonly<Record<string, Guard>> = Object.fromEntries(
  ALL_OPERATION_LIST.map((row) => [row.name, guardOf(row)]),
)

const SAFE = ['GET', 'HEAD']
const ALL_SCOPES = Object.keys(SCOPES) as Scope[]

/** Returns every route by its method and path, without the middleware. */
function routesOf(http: HttpDesk): string[] {
  const routes = http.app.routes.filter(({ method }) => method !== 'ALL')
  return [...new Set(routes.map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`))]
}

/** Returns valid fields of a route of `/api/v1`, so that only the credential can be refused. */
function soundBody(method: string, path: string): Readonly<Record<string, unknown>> {
  return API_ROUTES.find((route) => route.method === method && path === `/api/v1/${route.path}`)?.body ?? {}
}

/**
 * Returns method and path of a route, with ids that do not exist, so that an allowed call changes nothing.
 */
function called(route: string): [method: string, path: string] {
  const [method = '', path = ''] = route.split(' ')
  return [method, path.replace(/:\w+/, 'none')]
}

test('every route is a row of the table of operations', async () => {
  const http = await HttpDesk.open()
  expect(routesOf(http).sort()).toEqual(Object.keys(ROUTES).sort())
})

test('only the listed rows need no credential, or no scope', () => {
  const withGuard = (wanted: Guard) =>
    Object.entries(ROUTES).flatMap(([route, guard]) => (guard === wanted ? [route] : []))
  expect(withGuard('open').sort()).toEqual([...PUBLIC].sort())
  expect(withGuard('any').sort()).toEqual([...ANY_SCOPE].sort())
})

test('every endpoint of the API needs the key, and no other route does', () => {
  const keyed = Object.entries(ROUTES).filter(([, guard]) => guard === 'key')
  // Telegram cannot send a key: its secret header is the credential.
  const api = Object.keys(ROUTES).filter(
    (route) => route.includes(' /api/v1/') && route !== 'POST /api/v1/telegram/webhook',
  )
  expect(keyed.map(([route]) => route).sort()).toEqual(api.sort())
})

test('a change needs the scope of its area, and no other', () => {
  for (const [route, guard] of Object.entries(ROUTES)) {
    const [method = '', path = ''] = route.split(' ')
    if (SAFE.includes(method) || typeof guard === 'string' || READ_BY_POST.includes(route)) continue
    const [area] = Object.keys(CHANGED_BY)
      .filter((start) => path.startsWith(start))
      .sort((one, other) => other.length - one.length)
    expect([route, guard]).toEqual([route, [CHANGED_BY[area ?? '']]])
  }
})

test('without a credential, or with one that is wrong, only the open routes answer', async () => {
  const http = await HttpDesk.open()
  const wrong: readonly Record<string, string>[] = [
    {},
    bearer('x'.repeat(43)),
    bearer(http.apikey),
    { cookie: 'session=x' },
    { 'x-api-key': 'x' },
  ]
  for (const [route, guard] of Object.entries(ROUTES)) {
    if (guard === 'open') continue
    const [method, path] = called(route)
    for (const headers of wrong) {
      const credential: Record<string, string> = guard === 'key' ? { apikey: 'x' } : {}
      const call = SAFE.includes(method) ? {} : { body: { ...soundBody(method, path), ...credential } }
      const query = SAFE.includes(method) ? `?${new URLSearchParams(credential)}` : ''
      const { status, code } = await http.request(method, path + query, { headers, ...call })
      const refusal = guard === 'key' ? [403, 'invalid_key'] : [401, 'unauthenticated']
      expect([route, headers, status, code]).toEqual([route, headers, ...refusal])
    }
  }
  expect(await http.desk.ledger()).toEqual([])
})

test('a token is let through to exactly the routes its scope allows', async () => {
  const http = await HttpDesk.open()
  for (const scope of ALL_SCOPES) {
    const headers = bearer(await http.tokenOf(scope))
    for (const [route, guard] of Object.entries(ROUTES)) {
      if (guard === 'open' || guard === 'key') continue
      // `admin` has every scope; other tests check its effect here.
      if (scope === 'admin') continue
      const [method, path] = called(route)
      const { code } = await http.request(method, path, { headers })
      const allowed = guard === 'any' || guard.includes(scope)
      expect([scope, route, code === 'forbidden']).toEqual([scope, route, !allowed])
    }
  }
})

test('without the key, a token that may read opens what only reads below /api/v1, and no change', async () => {
  const http = await HttpDesk.open()
  const [reads, trades] = [bearer(await http.tokenOf('read')), bearer(await http.tokenOf('orders'))]
  const changing = new Set(ALL_OPERATION_LIST.filter(({ changes }) => changes).map(({ name }) => `${name}`))
  for (const [route, guard] of Object.entries(ROUTES)) {
    if (guard !== 'key') continue
    const [method, path] = called(route)
    const call = SAFE.includes(method) ? {} : { body: soundBody(method, path) }
    const codeWith = async (headers: Record<string, string>) =>
      (await http.request(method, path, { ...call, headers })).code
    const code = await codeWith(reads)
    if (changing.has(route)) expect([route, code]).toEqual([route, 'validation'])
    else expect(['invalid_key', 'unauthenticated', 'forbidden', 'internal']).not.toContain(code)
    if (!changing.has(route)) expect([route, await codeWith(trades)]).toEqual([route, 'forbidden'])
  }
  expect(await http.desk.ledger()).toEqual([])
})

test('a token beside a key counts for nothing: the key is checked', async () => {
  const http = await HttpDesk.open()
  const headers = bearer(await http.tokenOf('read'))
  const asked = (key: object) => http.request('POST', '/api/v1/orderbook', { body: key, headers })
  expect(await asked({ apikey: 'x' })).toMatchObject({ status: 403, code: 'invalid_key' })
  expect(await asked({ apikey: '' })).toMatchObject({ status: 400, code: 'validation' })
  expect(await asked({})).toMatchObject({ status: 200, body: { status: 'success' } })
})

test('a cookie opens nothing below /api/v1', async () => {
  const http = await HttpDesk.open()
  const headers = { cookie: `session=${await http.signIn()}` }
  const { status, code } = await http.request('POST', '/api/v1/orderbook', { body: {}, headers })
  expect([status, code]).toEqual([400, 'validation'])
})

test('a token that may only read changes nothing anywhere', () => {
  const changing = Object.entries(ROUTES).filter(([route, guard]) => {
    const [method = ''] = route.split(' ')
    const isOpenToReaders = Array.isArray(guard) && guard.includes('read')
    return !SAFE.includes(method) && isOpenToReaders
  })
  expect(changing.map(([route]) => route)).toEqual(READ_BY_POST)
})

test('by cookie, nothing is changed without the CSRF token of that very session', async () => {
  const http = await HttpDesk.open()
  const [mine, other] = [await http.signIn(), await http.signIn()]
  const csrf = async (token: string) =>
    String((await http.request('GET', '/auth/csrf-token', { headers: bearer(token) })).body.csrf_token)
  const cookie = `session=${mine}`
  const foreign = await csrf(other)
  for (const [route, guard] of Object.entries(ROUTES)) {
    const [method, path] = called(route)
    if (SAFE.includes(method) || guard === 'open' || guard === 'key') continue
    for (const token of [undefined, foreign, '']) {
      const headers = { cookie, ...(token !== undefined && { 'x-csrf-token': token }) }
      const { status, body } = await http.request(method, path, { headers })
      expect([route, status, body.error]).toEqual([route, 400, 'CSRF validation failed'])
    }
  }
  const headers = { cookie, 'x-csrf-token': await csrf(mine) }
  expect((await http.request('POST', '/settings/analyze-mode/0', { headers })).status).toBe(200)
})

test('each sign-in makes a session of its own; its cookie is out of reach of pages', async () => {
  const http = await HttpDesk.open()
  const fixed = 'f'.repeat(43)
  const body = { username: 'asha', password: 'Passw0rd!' }
  const reply = await http.request('POST', '/auth/login', { body, headers: { cookie: `session=${fixed}` } })
  const cookie = reply.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^session=[\w-]{43}; .*HttpOnly; SameSite=Lax$/)
  expect(cookie).not.toContain(fixed)
  expect((await http.request('GET', '/auth/whoami', { headers: bearer(fixed) })).status).toBe(401)
})

test.each(['cross-site', 'same-site'])(
  'a page of another site (%s) can neither sign in nor set up',
  async (site) => {
    const http = await HttpDesk.open()
    const headers = { 'sec-fetch-site': site }
    const account = { username: 'asha', password: 'Passw0rd!' }
    for (const [path, body] of [
      ['/auth/login', account],
      ['/auth/login/totp', { totp_code: '000000' }],
      ['/auth/reset-password', { step: 'email', email: 'asha@example.org' }],
      ['/setup', account],
    ] as const) {
      const reply = await http.request('POST', path, { body, headers })
      expect([path, reply.status]).toEqual([path, 403])
    }
  },
)

test.each([
  ['http://evil.example', 403],
  ['http://desk.localhost:9', 403],
  ['null', 403],
  ['http://desk.localhost:5000', 401],
])('over plain HTTP a browser names only the page: one of %s gets %i', async (origin, status) => {
  const http = await HttpDesk.open()
  const headers = { origin, host: 'desk.localhost:5000' }
  const body = { username: 'asha', password: 'Wrong-1!' }
  expect((await http.request('POST', '/auth/login', { body, headers })).status).toBe(status)
})

test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
  'what a page may send without asking (%s) is no order',
  async (type) => {
    const http = await HttpDesk.open()
    const text = JSON.stringify({ apikey: http.apikey, strategy: 's', symbol: 'SBIN', exchange: 'NSE' })
    const reply = await http.request('POST', '/api/v1/placeorder', {
      text,
      headers: { 'content-type': type },
    })
    expect([reply.status, reply.code]).toEqual([415, 'unsupported_media'])
  },
)

test('a host name that was pointed at this machine is not served', async () => {
  const http = await HttpDesk.open()
  const asked = async (host: string) => (await http.request('GET', '/version', { headers: { host } })).status
  for (const host of [
    'evil.example',
    'evil.example:5000',
    '127.0.0.1.evil.example',
    'localhost.evil',
    '[::1].evil',
    '',
  ]) {
    expect([host, await asked(host)]).toEqual([host, 403])
  }
  for (const host of [
    '127.0.0.1:5000',
    'localhost:5000',
    'LOCALHOST',
    '[::1]:5000',
    'svc.localhost',
    '192.168.1.9',
  ]) {
    expect([host, await asked(host)]).toEqual([host, 200])
  }
})

test('behind a trusted proxy, names are the proxy’s to check', async () => {
  const http = await HttpDesk.open({ env: { TRUST_PROXY_HEADERS: 'true' } })
  expect((await http.request('GET', '/version', { headers: { host: 'desk.example' } })).status).toBe(200)
})
