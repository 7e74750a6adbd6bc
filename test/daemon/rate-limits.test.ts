import { describe, expect, test } from 'vitest'
import { HttpDesk } from '../support/desk/http-desk.js'

interface Group {
  setting: string
  /** The number of calls that pass by default, and the window in which they count. */
  calls: number
  perMs: number
  /** Routes that each have their own count under the group's limit. */
  routes: readonly string[]
}

/** Every route has the limit of exactly one group. */
const GROUPS: readonly Group[] = [
  {
    setting: 'ORDER_RATE_LIMIT',
    calls: 10,
    perMs: 1000,
    routes: [
      ...['placeorder', 'modifyorder', 'cancelorder', 'optionsorder', 'optionsmultiorder'],
      ...['placegttorder', 'modifygttorder', 'cancelgttorder'],
    ].map(posted),
  },
  { setting: 'SMART_ORDER_RATE_LIMIT', calls: 10, perMs: 1000, routes: [posted('placesmartorder')] },
  {
    setting: 'API_RATE_LIMIT',
    calls: 50,
    perMs: 1000,
    routes: [
      ...[
        ...['basketorder', 'splitorder', 'cancelallorder', 'closeposition', 'gttorderbook', 'orderstatus'],
        ...[
          'openposition',
          'why',
          'refusedorders',
          'orderbook',
          'tradebook',
          'positionbook',
          'holdings',
          'funds',
          'margin',
        ],
        ...['analyzer', 'analyzer/toggle', 'pnl/symbols', 'desk', 'ping', 'mcp'],
        ...['market/holidays', 'market/timings', 'checkholiday', 'no-such-route'],
        ...['list', 'status', 'start', 'stop', 'close_all', 'close_leg', 'runs', 'orders', 'events'].map(
          (verb) => `strategy/${verb}`,
        ),
      ].map(posted),
      'GET /status',
      'GET /broker/list',
      'GET /action-center/api/data',
    ],
  },
  {
    setting: 'DATA_RATE_LIMIT',
    calls: 50,
    perMs: 1000,
    routes: [
      ...[
        ...['quotes', 'multiquotes', 'depth', 'history', 'intervals', 'chart'],
        ...['symbol', 'expiry', 'optionsymbol', 'optionchain', 'syntheticfuture'],
        'multioptiongreeks',
      ].map(posted),
      'GET /api/v1/ticker/NSE:SBIN',
      'GET /api/v1/instruments',
    ],
  },
  { setting: 'SEARCH_RATE_LIMIT', calls: 10, perMs: 1000, routes: [posted('search')] },
  {
    setting: 'GREEKS_RATE_LIMIT',
    calls: 30,
    perMs: 60_000,
    routes: [posted('optiongreeks')],
  },
  {
    setting: 'TELEGRAM_RATE_LIMIT',
    calls: 30,
    perMs: 60_000,
    routes: [
      ...['notify', 'config', 'start', 'stop', 'preferences'].map((path) => posted(`telegram/${path}`)),
      ...['users', 'stats'].map((path) => `GET /api/v1/telegram/${path}`),
    ],
  },
  { setting: 'WHATSAPP_RATE_LIMIT', calls: 30, perMs: 60_000, routes: [posted('whatsapp/notify')] },
  {
    setting: 'LOGIN_RATE_LIMIT_MIN',
    calls: 5,
    perMs: 60_000,
    routes: [
      'POST /auth/login',
      'POST /auth/login/totp',
      'POST /auth/2fa/configure',
      'POST /auth/2fa/rotate',
      'POST /auth/2fa/rotate/confirm',
      'POST /auth/reauthenticate',
      'POST /auth/change-password',
      'POST /auth/change',
      'POST /setup',
    ],
  },
  {
    setting: 'RESET_RATE_LIMIT',
    calls: 15,
    perMs: 3_600_000,
    routes: ['POST /auth/reset-password', 'GET /auth/reset-password-email/x'],
  },
]
const UNLIMITED = ['GET /version', 'GET /health/live', 'GET /search/api/search', 'GET /action-center/count']

/** A broadcast has a limit that no setting changes, and Telegram's own calls have none. */
const OTHERWISE = ['/api/v1/telegram/broadcast', '/api/v1/telegram/webhook']

function posted(path: string): string {
  return `POST /api/v1/${path}`
}

/** Returns a desk with these limits, or with the default limits. */
async function open(settings: Record<string, string | undefined> = {}) {
  const others = ['LOGIN_RATE_LIMIT_HOUR', 'STRATEGY_RATE_LIMIT']
  const names = [...GROUPS.map(({ setting }) => setting), ...others]
  const env = Object.fromEntries(names.map((name) => [name, settings[name] ?? '']))
  const http = await HttpDesk.open({ env })
  const token = await http.tokenOf('read', 'approvals')
  const from = async (address: string, route: string) => {
    const [method = '', path = ''] = route.split(' ')
    const call = method === 'GET' ? {} : { body: {} }
    const headers = { authorization: `Bearer ${token}`, 'x-real-ip': address }
    return http.request(method, path, { ...call, headers })
  }
  return { http, from, call: (route: string) => from('192.0.2.1', route) }
}

describe.each(GROUPS)('$setting', ({ setting, calls, perMs, routes }) => {
  test('lets its number of calls through, then returns the time to wait, for each route separately', async () => {
    const { http, call } = await open()
    for (const route of routes) {
      for (let count = 0; count < calls; count++) {
        expect([route, count, (await call(route)).status === 429]).toEqual([route, count, false])
      }
      const refused = await call(route)
      const seconds = perMs / 1000
      expect([route, refused.status, refused.code]).toEqual([route, 429, 'rate_limited'])
      expect(refused.headers.get('retry-after')).toBe(String(seconds))
      expect(refused.body).toEqual({
        status: 'error',
        message: 'Rate limit exceeded. Please slow down your requests.',
        retry_after: seconds,
      })
    }
    await http.desk.clock.advance(perMs)
    for (const route of routes) expect([route, (await call(route)).status === 429]).toEqual([route, false])
  })

  test('follows its setting, several windows at once', async () => {
    const { http, call } = await open({ [setting]: '2 per second;3 per minute' })
    const [route = ''] = routes
    const passes = async () => (await call(route)).status !== 429
    expect([await passes(), await passes(), await passes()]).toEqual([true, true, false])
    await http.desk.clock.advance(1000)
    expect([await passes(), await passes()]).toEqual([true, false])
    const refused = await call(route)
    expect(refused.body.retry_after).toBe(59)
    await http.desk.clock.advance(59_000)
    expect([await passes(), await passes(), await passes()]).toEqual([true, true, false])
  })
})

test('the session routes of strategies share one counter, and the API has others', async () => {
  const { call } = await open({ STRATEGY_RATE_LIMIT: '4 per minute' })
  const statuses: number[] = []
  for (const route of [
    'GET /strategy/api/strategies',
    'GET /strategy/api/strategies/1',
    'GET /strategy/api/strategies/1/runs',
    'GET /strategy/api/strategies/2/events',
    'GET /strategy/api/strategies/1/orders',
    'GET /strategy/api/strategies',
  ]) {
    statuses.push((await call(route)).status)
  }
  expect(statuses).toEqual([200, 404, 404, 404, 429, 429])
  expect((await call('POST /api/v1/strategy/list')).status).not.toBe(429)
})

test('every route of /api/v1 has its group', async () => {
  const { http } = await open()
  const routes = http.app.routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/v1'))
  const paths = (all: readonly string[]) => [...new Set(all)].sort()
  const grouped = GROUPS.flatMap((group) => group.routes.map((route) => route.split(' ')[1] ?? ''))
  const inApi = grouped.filter((path) => path.startsWith('/api/v1') && !path.endsWith('no-such-route'))
  expect(paths(inApi.map((path) => path.replace('NSE:SBIN', ':ticker')))).toEqual(
    paths(routes.map(({ path }) => path.replace(/\/$/, ''))).filter((path) => !OTHERWISE.includes(path)),
  )
})

test('the long limit of sign-ins holds beside the short one', async () => {
  const { http, call } = await open({ LOGIN_RATE_LIMIT_HOUR: '6 per hour' })
  const refused: boolean[] = []
  for (let count = 0; count < 8; count++) {
    refused.push((await call('POST /auth/login')).status === 429)
    await http.desk.clock.advance(60_000)
  }
  expect(refused).toEqual([false, false, false, false, false, false, true, true])
})

test.each(UNLIMITED)('%s has no limit', async (route) => {
  const { call } = await open()
  for (let count = 0; count < 120; count++) expect((await call(route)).status).toBe(200)
})

test('addresses are counted separately when a trusted proxy names them, and not when any client could', async () => {
  const limited = async (env: Record<string, string>) => {
    const http = await HttpDesk.open({ env: { DATA_RATE_LIMIT: '1 per minute', ...env } })
    const ask = (address: string) =>
      http.request('POST', '/api/v1/intervals', {
        body: { apikey: http.apikey },
        headers: { 'x-real-ip': address },
      })
    return [(await ask('192.0.2.1')).status, (await ask('192.0.2.2')).status, (await ask('192.0.2.1')).status]
  }
  expect(await limited({ TRUST_PROXY_HEADERS: 'true' })).toEqual([200, 200, 429])
  expect(await limited({})).toEqual([200, 429, 429])
})

test('ids and unknown paths have no counters of their own', async () => {
  const { call } = await open({ API_RATE_LIMIT: '2 per minute' })
  const statuses: number[] = []
  for (const path of ['a', 'b', 'c']) statuses.push((await call(`POST /api/v1/${path}`)).status)
  for (const id of [1, 2, 3]) statuses.push((await call(`DELETE /action-center/delete/${id}`)).status)
  expect(statuses).toEqual([404, 404, 429, 404, 404, 429])
})
