import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../src/core/config/index.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'
import { tempDir } from '../../support/files/temp.js'

const PAGE = 'https://desk.example'
const LISTED = { CORS_ENABLED: 'true', CORS_ALLOWED_ORIGINS: `${PAGE}, https://other.example:8443` }

/** Returns the CORS headers of an answer. */
const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))

async function desk(env: Record<string, string> = {}) {
  const http = await HttpDesk.open({ env })
  const ping = (origin: string | undefined, apikey = http.apikey) =>
    http.request('POST', '/api/v1/ping', {
      body: { apikey },
      headers: { ...(origin !== undefined && { origin }) },
    })
  const preflight = (origin: string, path = '/api/v1/placeorder') =>
    http.request('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } })
  return { http, ping, preflight }
}

describe('pages of other origins', () => {
  test('are allowed nothing by default, and nothing by the switch alone', async () => {
    const closed: Record<string, string>[] = [{}, { CORS_ALLOWED_ORIGINS: PAGE }, { CORS_ENABLED: 'true' }]
    for (const env of closed) {
      const { ping, preflight } = await desk(env)
      const answer = await ping(PAGE)
      expect([answer.status, corsHeaders(answer.headers)]).toEqual([200, {}])
      const asked = await preflight(PAGE)
      expect([asked.status, corsHeaders(asked.headers)]).toEqual([405, {}])
    }
  })

  test('read answers and refusals when they are listed', async () => {
    const { http, ping } = await desk({ ...LISTED, CORS_EXPOSED_HEADERS: 'X-Svc-Code,Retry-After' })
    const allowed = {
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers': 'X-Svc-Code, Retry-After',
    }
    const answer = await ping(PAGE)
    expect([answer.status, corsHeaders(answer.headers)]).toEqual([200, allowed])
    const refused = await ping(PAGE, 'wrong')
    expect([refused.status, corsHeaders(refused.headers)]).toEqual([403, allowed])
    const unknown = await http.request('POST', '/api/v1/nowhere', { headers: { origin: PAGE } })
    expect([unknown.status, corsHeaders(unknown.headers)]).toEqual([404, allowed])
    for (const { headers } of [answer, refused, unknown, await ping(undefined)]) {
      expect(headers.get('vary')).toBe('Origin')
    }
  })

  test.each([
    'https://desk.example.evil',
    'http://desk.example',
    'https://desk.example:444',
    'null',
    '*',
    '',
  ])('are refused as %j when another is listed', async (origin) => {
    const { ping, preflight } = await desk(LISTED)
    expect(corsHeaders((await ping(origin)).headers)).toEqual({})
    expect(corsHeaders((await preflight(origin)).headers)).toEqual({})
  })

  test('may ask first, and the answer needs no credential and counts for no limit', async () => {
    const { preflight } = await desk({ ...LISTED, ORDER_RATE_LIMIT: '1 per minute', CORS_MAX_AGE: '600' })
    for (let asked = 0; asked < 3; asked++) {
      const { status, headers, text } = await preflight('https://other.example:8443')
      expect([status, text]).toEqual([200, ''])
      expect(corsHeaders(headers)).toEqual({
        'access-control-allow-origin': 'https://other.example:8443',
        'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH',
        'access-control-allow-headers': 'Content-Type, Authorization, X-Requested-With',
        'access-control-max-age': '600',
      })
    }
  })

  test('may be any, but then without credentials', async () => {
    const any = { CORS_ENABLED: 'true', CORS_ALLOWED_ORIGINS: '*' }
    const { ping } = await desk(any)
    expect(corsHeaders((await ping('https://any.example')).headers)).toEqual({
      'access-control-allow-origin': '*',
    })
    const env = { ...any, CORS_ALLOW_CREDENTIALS: 'true' }
    expect(() => loadConfig({ home: tempDir(), env })).toThrow(/CORS_ALLOW_CREDENTIALS .*must be false/)
  })

  test('may send credentials to the API when the setting says so', async () => {
    const { ping } = await desk({ ...LISTED, CORS_ALLOW_CREDENTIALS: 'true' })
    expect((await ping(PAGE)).headers.get('access-control-allow-credentials')).toBe('true')
    expect((await ping('https://evil.example')).headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('never reach a route that takes a cookie', async () => {
    const { http, preflight } = await desk({ ...LISTED, CORS_ALLOW_CREDENTIALS: 'true' })
    const headers = { ...bearer(await http.signIn()), origin: PAGE }
    for (const path of [
      '/status',
      '/auth/whoami',
      '/apikey',
      '/api/websocket/config',
      '/health/live',
      '/risk',
    ]) {
      expect([path, corsHeaders((await http.request('GET', path, { headers })).headers)]).toEqual([path, {}])
      expect([path, corsHeaders((await preflight(PAGE, path)).headers)]).toEqual([path, {}])
    }
  })
})

test.each([
  ['CORS_ALLOWED_ORIGINS', 'desk.example'],
  ['CORS_ALLOWED_ORIGINS', 'https://desk.example/page'],
  ['CORS_ALLOWED_ORIGINS', '*,https://desk.example'],
  ['CORS_ALLOWED_ORIGINS', 'null'],
  ['CORS_ALLOWED_HEADERS', 'X Key'],
  ['CORS_MAX_AGE', '-1'],
])('%s may not be %j', (key, value) => {
  expect(() => loadConfig({ home: tempDir(), env: { [key]: value } })).toThrow(new RegExp(key))
})
