import { expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../src/core/identity/index.js'
import { API_ROUTES } from '../support/desk/api-routes.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'

/**
 * The callers of each route: `open` to everybody, `key` with the API key, `any` with any session credential,
 * or a credential with the named scope. A route that is missing here fails the test, whatever its guard.
 */
const ROUTES: Readonly<Record<string, 'open' | 'key' | 'any' | readonly Scope[]>> = {
  'GET /version': 'open',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /auth/app-info': 'open',
  'GET /health/live': 'open',
  'GET /health/ready': 'open',
  'GET /health/status': 'open',
  'GET /auth/check-setup': 'open',
  'GET /auth/session-status': 'open',
  'POST /auth/login': 'open',
  'POST /setup': 'open',
  'POST /api/v1/analyzer': 'key',
  'POST /api/v1/analyzer/toggle': 'key',
  'POST /api/v1/basketorder': 'key',
  'POST /api/v1/cancelallorder': 'key',
  'POST /api/v1/cancelgttorder': 'key',
  'POST /api/v1/cancelorder': 'key',
  'POST /api/v1/chart': 'key',
  'POST /api/v1/checkholiday': 'key',
  'POST /api/v1/closeposition': 'key',
  'POST /api/v1/depth': 'key',
  'POST /api/v1/expiry': 'key',
  'POST /api/v1/funds': 'key',
  'POST /api/v1/gttorderbook': 'key',
  'POST /api/v1/history': 'key',
  'POST /api/v1/holdings': 'key',
  'POST /api/v1/intervals': 'key',
  'POST /api/v1/margin': 'key',
  'POST /api/v1/market/holidays': 'key',
  'POST /api/v1/market/timings': 'key',
  'POST /api/v1/modifygttorder': 'key',
  'POST /api/v1/modifyorder': 'key',
  'POST /api/v1/multioptiongreeks': 'key',
  'POST /api/v1/multiquotes': 'key',
  'POST /api/v1/openposition': 'key',
  'POST /api/v1/optionchain': 'key',
  'POST /api/v1/optiongreeks': 'key',
  'POST /api/v1/optionsmultiorder': 'key',
  'POST /api/v1/optionsorder': 'key',
  'POST /api/v1/optionsymbol': 'key',
  'POST /api/v1/orderbook': 'key',
  'POST /api/v1/orderstatus': 'key',
  'POST /api/v1/ping': 'key',
  'POST /api/v1/placegttorder': 'key',
  'POST /api/v1/placeorder': 'key',
  'POST /api/v1/placesmartorder': 'key',
  'POST /api/v1/pnl/symbols': 'key',
  'POST /api/v1/positionbook': 'key',
  'POST /api/v1/quotes': 'key',
  'POST /api/v1/search': 'key',
  'POST /api/v1/splitorder': 'key',
  'POST /api/v1/symbol': 'key',
  'POST /api/v1/syntheticfuture': 'key',
  'POST /api/v1/telegram/notify': 'key',
  'POST /api/v1/tradebook': 'key',
  'POST /api/v1/whatsapp/notify': 'key',
  'GET /api/v1/chart': 'key',
  'GET /api/v1/instruments': 'key',
  'GET /api/v1/ticker/:ticker': 'key',
  'POST /auth/logout': 'any',
  'GET /auth/csrf-token': 'any',
  'GET /auth/whoami': 'any',
  'POST /auth/ws-ticket': 'any',
  'GET /auth/active-sessions': ['read'],
  'DELETE /auth/active-sessions/:id': ['admin'],
  'GET /auth/tokens': ['admin'],
  'POST /auth/tokens': ['admin'],
  'DELETE /auth/tokens/:id': ['admin'],
  'GET /apikey': ['admin'],
  'POST /apikey': ['admin'],
  'POST /apikey/mode': ['settings'],
  'GET /settings/analyze-mode': ['read', 'settings'],
  'POST /settings/analyze-mode/:mode': ['settings'],
  'GET /action-center/api/data': ['read', 'approvals'],
  'GET /action-center/count': ['read', 'approvals'],
  'POST /action-center/approve/:id': ['approvals'],
  'POST /action-center/reject/:id': ['approvals'],
  'POST /action-center/approve-all': ['approvals'],
  'DELETE /action-center/delete/:id': ['approvals'],
  'GET /orders/journal': ['read', 'orders'],
  'GET /orders/journal/:ref': ['read', 'orders'],
  'POST /orders/journal/:ref/settle': ['orders'],
  'GET /risk': ['read', 'admin'],
  'PUT /risk': ['admin'],
  'POST /risk/kill-switch': ['admin'],
  'GET /broker/list': ['read', 'admin'],
  'GET /broker/status': ['read', 'admin'],
  'POST /broker/use': ['admin'],
  'POST /broker/login': ['admin'],
  'POST /broker/logout': ['admin'],
  'POST /broker/sync': ['admin'],
  'GET /broker/simulated/faults': ['read', 'admin'],
  'PUT /broker/simulated/faults': ['admin'],
  'GET /sandbox/api/configs': ['read', 'settings'],
  'POST /sandbox/update': ['settings'],
  'POST /sandbox/reset': ['settings'],
  'POST /sandbox/reload-squareoff': ['settings'],
  'GET /sandbox/squareoff-status': ['read', 'settings'],
  'GET /sandbox/mypnl/api/data': ['read', 'settings'],
  'GET /sandbox/mypnl/export/:kind': ['read', 'settings'],
  'GET /search': ['read'],
  'GET /search/token': ['read'],
  'GET /search/api/search': ['read'],
  'GET /search/api/expiries': ['read'],
  'GET /search/api/underlyings': ['read'],
  'GET /api/websocket/config': ['read', 'settings'],
  'GET /api/websocket/apikey': ['admin'],
  'GET /api/websocket/status': ['read', 'settings'],
  'GET /api/websocket/subscriptions': ['read', 'settings'],
  'POST /api/websocket/subscribe': ['settings'],
  'POST /api/websocket/unsubscribe': ['settings'],
  'POST /api/websocket/unsubscribe-all': ['settings'],
  'GET /api/websocket/market-data': ['read', 'settings'],
  'GET /api/websocket/health': ['read', 'settings'],
  'GET /api/websocket/trade-safe': ['read', 'settings'],
  'GET /api/websocket/metrics': ['read', 'settings'],
  'GET /status': ['read'],
  'GET /flow/api/workflows': ['read', 'flows'],
  'POST /flow/api/workflows': ['flows'],
  'POST /flow/api/workflows/import': ['flows'],
  'GET /flow/api/workflows/:id': ['read', 'flows'],
  'PUT /flow/api/workflows/:id': ['flows'],
  'DELETE /flow/api/workflows/:id': ['flows'],
  'POST /flow/api/workflows/:id/activate': ['flows'],
  'POST /flow/api/workflows/:id/deactivate': ['flows'],
  'POST /flow/api/workflows/:id/execute': ['flows'],
  'GET /flow/api/workflows/:id/executions': ['read', 'flows'],
  'GET /flow/api/executions/:id': ['read', 'flows'],
  'POST /flow/api/executions/:id/cancel': ['flows'],
  'GET /flow/api/workflows/:id/follow': ['read', 'flows'],
  'GET /flow/api/workflows/:id/export': ['read', 'flows'],
  'POST /flow/api/workflows/:id/replace': ['flows'],
  'GET /flow/api/workflows/:id/versions': ['read', 'flows'],
  'POST /flow/api/workflows/:id/rollback': ['flows'],
  'GET /flow/api/workflows/:id/webhook': ['flows'],
  'POST /flow/api/workflows/:id/webhook/enable': ['flows'],
  'POST /flow/api/workflows/:id/webhook/disable': ['flows'],
  'POST /flow/api/workflows/:id/webhook/regenerate': ['flows'],
  'POST /flow/api/workflows/:id/webhook/regenerate-secret': ['flows'],
  'POST /flow/api/workflows/:id/webhook/auth-type': ['flows'],
  'GET /flow/api/monitor/status': ['read', 'flows'],
  'POST /flow/api/plan': ['flows'],
  'POST /flow/api/apply': ['flows'],
  'POST /flow/api/run': ['flows'],
  'GET /flow/api/secrets': ['read', 'flows'],
  'PUT /flow/api/secrets/:name': ['flows'],
  'DELETE /flow/api/secrets/:name': ['flows'],
  'GET /flow/api/index-symbols': ['read', 'flows'],
  'POST /flow/api/symbol-lotsizes': ['flows'],
  'POST /flow/webhook/:token': 'open',
  'POST /flow/webhook/:token/:symbol': 'open',
}

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

test('every route is listed with who may call it', async () => {
  const http = await HttpDesk.open()
  expect(routesOf(http).sort()).toEqual(Object.keys(ROUTES).sort())
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

test('a token that may only read changes nothing anywhere', () => {
  const changing = Object.entries(ROUTES).filter(([route, guard]) => {
    const [method = ''] = route.split(' ')
    const isOpenToReaders = Array.isArray(guard) && guard.includes('read')
    return !SAFE.includes(method) && isOpenToReaders
  })
  expect(changing).toEqual([])
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
    for (const path of ['/auth/login', '/setup']) {
      const reply = await http.request('POST', path, {
        body: { username: 'asha', password: 'Passw0rd!' },
        headers,
      })
      expect([path, reply.status]).toEqual([path, 403])
    }
  },
)

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
