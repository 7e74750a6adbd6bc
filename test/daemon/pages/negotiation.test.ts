import { expect, test } from 'vitest'
import { ALL_OPERATION_LIST } from '../../../src/daemon/operations/all.js'
import { BROWSER, Browser } from '../../support/desk/browser.js'
import { USER } from '../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'

/** The routes with a page of this kind; the others that answer HTML have no JSON. */
const WITHOUT_JSON = ['/docs', '/reset-password']
const PAGES = ALL_OPERATION_LIST.filter(
  ({ answerText, path }) => answerText === 'text/html' && !WITHOUT_JSON.includes(path),
)
const VISITORS = ['/login', '/auth/login/totp', '/setup']
/** The pages that only another site leads to. */
const SENT_HERE = ['/:broker/callback']
const OWN = PAGES.filter(({ path }) => ![...VISITORS, ...SENT_HERE].includes(path)).map(({ path }) => ({
  path: path.replace(':id', '1'),
}))

/** Opens a desk with the strategy of the page `/strategies/1`. */
async function openDesk(): Promise<HttpDesk> {
  const http = await HttpDesk.open()
  await http.desk.service.strategyCatalog.create(USER, {
    name: 'Cash',
    underlying: 'SBIN',
    underlying_exchange: 'NSE',
    strategy_type: 'positional',
    legs: [{ segment: 'cash', position: 'B', lots: 1 }],
  })
  return http
}

test('every page that a user may look for is there', () => {
  const paths = PAGES.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['/action-center', '/logs', '/logs/live', '/logs/sandbox', '/logs/security', '/logs/traffic'],
      ...[
        '/logs/latency',
        '/logging',
        '/search',
        '/search/token',
        '/security',
        '/latency',
        '/traffic',
        '/pnl-tracker',
        '/orders',
        '/positions',
        '/strategies',
        '/strategies/:id',
        '/auth/reauthenticate',
      ],
      ...VISITORS,
    ]),
  )
})

test('the same address gives a browser a page, and a script JSON', async () => {
  const http = await openDesk()
  const browser = await Browser.signedIn(http)
  const token = bearer(await http.signIn())
  for (const { path } of OWN) {
    for (const address of [path, `${path}/`]) {
      const page = await browser.open(address)
      expect([address, page.status, page.headers.get('content-type')]).toEqual([
        address,
        200,
        'text/html; charset=utf-8',
      ])
      expect(page.text).toMatch(/^<!doctype html><html lang="en">.*<h1>.*<\/html>$/s)
    }
    const scripts: Record<string, string>[] = [
      token,
      { ...token, accept: '*/*' },
      { ...token, accept: 'application/json' },
      { ...token, ...BROWSER },
    ]
    for (const headers of scripts) {
      const answer = await http.request('GET', path, { headers })
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'application/json',
      ])
    }
  }
})

test('a page that asks in the background gets JSON, as the header X-Requested-With says', async () => {
  const http = await openDesk()
  const browser = await Browser.signedIn(http)
  const { body, headers } = await browser.open('/logs/', { 'x-requested-with': 'XMLHttpRequest' })
  expect(headers.get('content-type')).toBe('application/json')
  expect(body).toEqual({ logs: [], total_pages: 0, current_page: 1 })
})

test('a program that prefers JSON, or signs in with a header, gets JSON even if it accepts HTML', async () => {
  const http = await openDesk()
  const browser = await Browser.signedIn(http)
  const programs: Record<string, string>[] = [
    { accept: 'application/json, text/html;q=0.5' },
    { accept: 'text/html;q=0.5,application/json;q=0.9' },
    { accept: 'application/json, text/html' },
    { accept: 'text/html;q=0, */*' },
    { accept: 'text/htmlx' },
    { 'x-api-key': http.apikey },
  ]
  for (const headers of programs) {
    const answer = await browser.open('/logs', headers)
    expect([headers, answer.headers.get('content-type')]).toEqual([headers, 'application/json'])
  }
  for (const accept of ['text/html', 'TEXT/HTML', 'text/html, application/json;q=0.9']) {
    const answer = await browser.open('/logs', { accept })
    expect([accept, answer.headers.get('content-type')]).toEqual([accept, 'text/html; charset=utf-8'])
  }
})

test('a page runs nothing but its own script, loads nothing, and cannot be framed or cached', async () => {
  const http = await openDesk()
  const browser = await Browser.signedIn(http)
  for (const path of [...VISITORS, ...OWN.map((own) => own.path)]) {
    const { headers, text } = await browser.follow(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(/ (style|on\w+)=|src=|javascript:|https?:\/\//)
  }
})

test('a visitor is led to the sign-in, and from there back', async () => {
  const http = await openDesk()
  const visitor = new Browser(http)
  for (const { path } of OWN) {
    const reply = await visitor.open(`${path}?limit=5`)
    const wanted = new URLSearchParams({ next: `${path}?limit=5` })
    expect([path, reply.status, reply.headers.get('location')]).toEqual([path, 303, `/auth/login?${wanted}`])
  }
  const signIn = await visitor.follow('/traffic?method=GET')
  expect(signIn.path).toBe('/login?next=%2Ftraffic%3Fmethod%3DGET')
  expect(signIn.text).toContain('name="next" value="/traffic?method=GET"')
  // A script is told, as before.
  const script = await http.request('GET', '/logs')
  expect([script.status, script.body.error]).toEqual([401, 'session_expired'])
})

test('/ leads a visitor to the sign-in, and a signed-in user to the first page', async () => {
  const http = await openDesk()
  const visitor = new Browser(http)
  expect((await visitor.open('/')).headers.get('location')).toBe('/auth/login')
  expect((await visitor.follow('/')).text).toContain('<h1>Sign in</h1>')
  const browser = await Browser.signedIn(http)
  expect((await browser.open('/')).headers.get('location')).toBe('/action-center')
  expect((await http.request('GET', '/')).headers.get('location')).toBe('/docs')
})

test('no link leads through the sign-in to another site', async () => {
  const http = await openDesk()
  for (const next of [
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
  ]) {
    const visitor = new Browser(http)
    const form = await visitor.open(`/login?${new URLSearchParams({ next })}`)
    expect([next, form.text.includes('name="next" value="/action-center"')]).toEqual([next, true])
    const reply = await visitor.submit('/auth/login', { username: 'asha', password: 'Passw0rd!', next })
    expect([next, reply.headers.get('location')]).toEqual([next, '/action-center'])
  }
})

test('a refused request is a page with its reasons, and the status of the refusal', async () => {
  const http = await openDesk()
  const browser = await Browser.signedIn(http)
  const { status, text } = await browser.open('/logs?start_date=2026-11-21&end_date=2026-11-20')
  expect(status).toBe(400)
  expect(text).toContain('Must not be before start_date.')
  expect(text).toContain('href="/logs"')
})

test('an unknown address is a page with ways on, and the status of the refusal', async () => {
  const http = await openDesk()
  const visitor = new Browser(http)
  const unknown = await visitor.open('/nope/%3Cscript%3E')
  expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(unknown.text).toContain('<h1>There is no page here</h1>')
  expect(unknown.text).toContain('<code>/nope/&lt;script&gt;</code>')
  expect(unknown.text).toContain('href="/auth/login"')
  expect(unknown.text).not.toContain('Sign out')
  // Which addresses exist below a guarded one, only a signed-in user learns.
  const guarded = await visitor.open('/settings/nope')
  expect(guarded.headers.get('location')).toBe('/auth/login?next=%2Fsettings%2Fnope')
  const browser = await Browser.signedIn(http)
  for (const path of ['/nope', '/settings/nope', '/strategies/1/nope']) {
    const { status, text } = await browser.open(path)
    expect([path, status, text.includes('Sign out asha')]).toEqual([path, 404, true])
    expect(text).toContain('href="/action-center"')
  }
  expect((await browser.open('/test_chart')).text).toContain('Open /pnl-tracker instead')
  const wrongMethod = await browser.open('/auth/logout')
  expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST'])
  expect(wrongMethod.text).toContain('Use POST here')
  const script = await http.request('GET', '/nope')
  expect([script.status, script.body]).toEqual([
    404,
    { status: 'error', message: 'Not found', path: '/nope' },
  ])
})

test('an unknown address in a browser counts against the visitor as that of a script does', async () => {
  const http = await HttpDesk.open({ env: { TRUST_PROXY_HEADERS: 'true' } })
  const from = { 'x-real-ip': '192.0.2.1' }
  await new Browser(http).open('/nope', from)
  await http.request('GET', '/nope', { headers: from })
  expect(http.desk.service.security.offences().missingPaths).toMatchObject([{ count: 2 }])
})

test('an empty field of a filter is no filter', async () => {
  const http = await openDesk()
  const browser = await Browser.signedIn(http)
  expect((await browser.open('/logs?start_date=&search=')).headers.get('location')).toBe('/logs')
  expect((await browser.open('/logs?start_date=&search=a%26b')).headers.get('location')).toBe(
    '/logs?search=a%26b',
  )
})

test('text of strangers is shown as text, and what is invisible is named', async () => {
  const http = await openDesk()
  const browser = await Browser.signedIn(http)
  const strategy = '</td><script>alert(1)</script>\u202Eevil\u0007\u2066"\'&'
  const order = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'CNC', strategy }
  await http.request('POST', '/api/v1/placeorder', { body: { apikey: http.apikey, ...order } })
  await http.request('POST', '/apikey/mode', {
    body: { user_id: 'asha', mode: 'semi_auto' },
    headers: bearer(await http.signIn()),
  })
  await http.request('POST', '/api/v1/placeorder', { body: { apikey: http.apikey, ...order } })
  await http.desk.clock.advance(2000)
  const shown = '&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]evil[U+0007][U+2066]&quot;&#39;&amp;'
  for (const path of ['/action-center', '/logs', '/logs?search=SBIN']) {
    const { text } = await browser.open(path)
    expect([path, text.includes(shown)]).toEqual([path, true])
    expect(text).not.toMatch(/\p{Cf}/u)
    expect(text).not.toContain('\u0007')
    expect(text).not.toContain('<script>alert')
  }
  const echoed = await browser.open(`/logs?${new URLSearchParams({ search: '"><script>\u202E' })}`)
  expect(echoed.text).toContain('value="&quot;&gt;&lt;script&gt;[U+202E]"')
})

test('a search page shows the first hits, and how many there are; a script gets all', async () => {
  const http = await HttpDesk.open({ embeddedMarket: true })
  const browser = await Browser.signedIn(http)
  const { body } = await http.request('GET', '/search?symbol=nifty', { headers: bearer(await http.signIn()) })
  const total = Number(body.total)
  expect(total).toBeGreaterThan(200)
  expect(body.results).toHaveLength(total)
  const { text } = await browser.open('/search?symbol=nifty')
  expect(text.match(/<tr>/g)).toHaveLength(1 + 200)
  expect(text).toContain(`200 of ${new Intl.NumberFormat('en-IN').format(total)}`)
})
