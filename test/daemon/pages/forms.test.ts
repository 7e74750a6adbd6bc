import { expect, test } from 'vitest'
import { BROWSER, Browser } from '../../support/desk/browser.js'
import { bearer, HttpDesk } from '../../support/desk/http-desk.js'

/** Returns a desk in semi-auto mode with some orders in the queue. */
async function withQueue(count: number): Promise<HttpDesk> {
  const http = await HttpDesk.open()
  const headers = bearer(await http.signIn())
  await http.request('POST', '/apikey/mode', { body: { user_id: 'asha', mode: 'semi_auto' }, headers })
  for (let i = 0; i < count; i++) await queueOne(http, 10 + i)
  return http
}

async function queueOne(http: HttpDesk, quantity = 10): Promise<void> {
  const order = { strategy: 's', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity, product: 'CNC' }
  await http.request('POST', '/api/v1/placeorder', { body: { apikey: http.apikey, ...order } })
}

const statusOf = async ({ desk }: HttpDesk) => {
  const { orders } = await desk.service.approvals.list('asha', { status: 'all' })
  return Object.fromEntries(orders.map(({ id, status }) => [id, status]))
}

test('an order is approved once; its result is on the page, and reloading it repeats nothing', async () => {
  const http = await withQueue(1)
  const browser = await Browser.signedIn(http)
  const page = await browser.open('/action-center')
  expect(page.text).toContain('action="/action-center/approve/1"')
  const after = await browser.act('/action-center/approve/1', { back: '/action-center?order=1' })
  expect([after.status, after.path]).toEqual([200, '/action-center?order=1'])
  expect(after.text).toContain('Order approved and executed successfully')
  expect(after.text).toMatch(/order id [\w-]+/)
  expect(after.text).not.toContain('action="/action-center/approve/1"')
  const again = await browser.open(after.path)
  expect(again.text).not.toContain('Order approved and executed successfully')
  expect(await http.desk.ledger()).toHaveLength(1)
})

test('two browsers approve the same order: it is executed once, and the second learns why not', async () => {
  const http = await withQueue(1)
  const [first, second] = [await Browser.signedIn(http), await Browser.signedIn(http)]
  const pages = await Promise.all(
    [first, second].map((it) => it.act('/action-center/approve/1', { back: '/action-center?order=1' })),
  )
  const notices = pages.map(
    ({ text }) => /<p class="notice (\w+)" role="(?:status|alert)">([^<]*)/.exec(text)?.[1],
  )
  expect(notices.sort()).toEqual(['bad', 'good'])
  for (const { text } of pages) expect(text).toMatch(/class="badge \w+">approved/)
  expect(await http.desk.ledger()).toHaveLength(1)
})

test('an order is rejected with its reason, and then neither approved nor rejected again', async () => {
  const http = await withQueue(2)
  const browser = await Browser.signedIn(http)
  const after = await browser.act('/action-center/reject/1', {
    reason: 'too <large>',
    back: '/action-center?order=1',
  })
  expect(after.text).toContain('too &lt;large&gt;')
  for (const act of ['approve', 'reject']) {
    expect((await browser.act(`/action-center/${act}/1`)).text).toContain('notice bad')
  }
  expect(await statusOf(http)).toEqual({ 1: 'rejected', 2: 'pending' })
  expect(await http.desk.ledger()).toEqual([])
  await browser.act('/action-center/delete/1')
  expect(await statusOf(http)).toEqual({ 2: 'pending' })
})

test('all are approved after one question, and an order that arrives after it is not among them', async () => {
  const http = await withQueue(2)
  const browser = await Browser.signedIn(http)
  const question = await browser.open('/action-center?confirm=all')
  expect(question.text).toContain('<h1>Approve all 2?</h1>')
  expect(question.text).toMatch(/<dt>Value together<\/dt><dd>₹/)
  await queueOne(http, 5000)
  const action = /action="(\/action-center\/approve-all\/\d+)"/.exec(question.text)?.[1] ?? ''
  const after = await browser.act(action)
  expect(after.text).toContain('Successfully approved and executed all 2 orders')
  expect(await statusOf(http)).toEqual({ 1: 'approved', 2: 'approved', 3: 'pending' })
  expect(await http.desk.ledger()).toHaveLength(2)
})

/** Queues a smart order past the mode of the user, or trades it at once. */
async function smart(http: HttpDesk, position: number, mode: 'semi_auto' | 'auto'): Promise<void> {
  await http.desk.service.identity.apiKeys.setOrderMode('asha', mode)
  const order = { strategy: 's', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 0, product: 'MIS' }
  const body = { apikey: http.apikey, ...order, position_size: position }
  await http.desk.settled(http.request('POST', '/api/v1/placesmartorder', { body }))
}

/** The hidden field of a page that says what its button approves. */
function expectedIn(text: string): string {
  const [, value = ''] = /name="expected" value="([^"]+)"/.exec(text) ?? []
  return value.replaceAll('&quot;', '"')
}

test('a smart order is approved as its page showed it, and else not', async () => {
  const http = await withQueue(0)
  await smart(http, 20, 'semi_auto')
  const browser = await Browser.signedIn(http)
  const list = await browser.open('/action-center')
  expect(list.text).not.toContain('action="/action-center/approve/1"')
  const question = await browser.open('/action-center?confirm=1')
  const expected = expectedIn(question.text)
  expect(JSON.parse(expected)).toMatchObject({ mode: 'live', legs: [{ action: 'BUY', quantity: 20 }] })
  await smart(http, 5, 'auto')
  const refused = await browser.act('/action-center/approve/1', { expected })
  expect(refused.text).toContain('it would now send BUY 15 NSE:SBIN MIS MARKET, and shown was BUY 20')
  expect(await statusOf(http)).toEqual({ 1: 'pending' })
  const again = expectedIn((await browser.open('/action-center?confirm=1')).text)
  await browser.act('/action-center/approve/1', { expected: again })
  expect(await statusOf(http)).toEqual({ 1: 'approved' })
})

test('all are approved only as the page showed them', async () => {
  const http = await withQueue(1)
  await smart(http, 100, 'semi_auto')
  await smart(http, -100, 'semi_auto')
  const browser = await Browser.signedIn(http)
  const { text } = await browser.open('/action-center?confirm=all')
  await queueOne(http, 5000)
  const after = await browser.act('/action-center/approve-all/3', { expected: expectedIn(text) })
  expect(after.text).toContain(
    'Approved 2 orders. 2 executed successfully, 0 failed; 1 refused and still pending',
  )
  expect(await statusOf(http)).toEqual({ 1: 'approved', 2: 'approved', 3: 'pending', 4: 'pending' })
})

test('an order that was queued in the other mode has no button in its row, and its page says it', async () => {
  const http = await withQueue(1)
  await http.desk.service.sandbox.start()
  await http.desk.service.settings.setAnalyzeMode(true)
  const browser = await Browser.signedIn(http)
  expect((await browser.open('/action-center')).text).not.toContain('action="/action-center/approve/1"')
  const { text } = await browser.open('/action-center?confirm=1')
  expect(text).toContain('queued in Live mode, would now be simulated in Analyzer mode')
  await browser.act('/action-center/approve/1', { expected: expectedIn(text) })
  expect(await statusOf(http)).toEqual({ 1: 'approved' })
})

test('an approval whose form is damaged is refused', async () => {
  const http = await withQueue(1)
  const browser = await Browser.signedIn(http)
  expect((await browser.act('/action-center/approve/1', { expected: '{"legs' })).text).toContain('notice bad')
  expect(await statusOf(http)).toEqual({ 1: 'pending' })
})

test('a basket has the number of its orders by side in its row, which opens', async () => {
  const http = await withQueue(0)
  const order = { symbol: 'SBIN', exchange: 'NSE', quantity: 10, pricetype: 'MARKET', product: 'MIS' }
  for (const actions of [
    ['BUY', 'SELL'],
    ['BUY', 'BUY', 'SELL'],
  ]) {
    const orders = actions.map((action) => ({ ...order, action }))
    await http.request('POST', '/api/v1/basketorder', {
      body: { apikey: http.apikey, strategy: 's', orders },
    })
  }
  const { text } = await (await Browser.signedIn(http)).open('/action-center')
  const [three = '', two = ''] = text.split('<tr data-row').slice(1)
  expect(two).toContain('<summary>1 to buy, 1 to sell</summary>')
  expect(three).toContain('<summary>2 to buy, 1 to sell</summary>')
  for (const [row, count] of [
    [two, 2],
    [three, 3],
  ] as const) {
    expect(row.match(/<li>/g)).toHaveLength(count)
  }
})

test('a form without the token of its own session, or of another site, changes nothing', async () => {
  const http = await withQueue(1)
  const [browser, other] = [await Browser.signedIn(http), await Browser.signedIn(http)]
  const csrf_token = await browser.csrfToken()
  for (const token of ['', 'x', '漢', 'a\r\nb', await other.csrfToken()]) {
    const reply = await browser.submit('/action-center/approve/1', { csrf_token: token })
    expect(reply.status).toBe(303)
    expect((await browser.follow('/action-center')).text).toContain('Submit it again')
  }
  const foreign: readonly Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
  ]
  for (const headers of foreign) {
    expect((await browser.submit('/action-center/approve/1', { csrf_token }, headers)).status).toBe(403)
    expect(
      (await new Browser(http).submit('/auth/login', { username: 'asha', password: 'Passw0rd!' }, headers))
        .status,
    ).toBe(403)
  }
  expect(
    (await browser.submit('/action-center/reject/1', { csrf_token, pad: 'x'.repeat(70_000) })).status,
  ).toBe(413)
  expect(await statusOf(http)).toEqual({ 1: 'pending' })
})

test('without a session a form leads to the sign-in and changes nothing', async () => {
  const http = await withQueue(1)
  const browser = new Browser(http)
  const back = '/action-center?order=1'
  const reply = await browser.submit('/action-center/approve/1', { csrf_token: 'x', back })
  const location = `/auth/login?${new URLSearchParams({ next: back })}`
  expect([reply.status, reply.headers.get('location')]).toEqual([303, location])
  const signIn = await browser.follow(location)
  expect(signIn.text).toContain('Your session has ended, so nothing was changed.')
  expect(signIn.text).not.toMatch(/session_expired|API/)
  expect(signIn.text).toContain(`name="next" value="${back}"`)
  expect(await statusOf(http)).toEqual({ 1: 'pending' })
})

test('a set-up token that no header can have is a wrong one', async () => {
  const http = await HttpDesk.open()
  const fields = { username: 'asha', password: 'Passw0rd!', confirm_password: 'Passw0rd!' }
  for (const setup_token of ['漢', 'a\r\nb', '\u0000']) {
    const reply = await new Browser(http).submit('/setup', { ...fields, setup_token })
    expect([setup_token, reply.status, reply.headers.get('location')]).toEqual([setup_token, 303, '/setup'])
  }
})

test('a form returns only to its own page', async () => {
  const http = await withQueue(1)
  const browser = await Browser.signedIn(http)
  const csrf_token = await browser.csrfToken()
  for (const back of [
    '//evil.example',
    'https://evil.example',
    '/docs',
    '/\\evil.example',
    '/action-center/../../docs',
    '/action-center/approve/1',
    '/action-centers',
  ]) {
    const reply = await browser.submit('/action-center/reject/9', { csrf_token, back })
    expect([back, reply.headers.get('location')]).toEqual([back, '/action-center'])
  }
})

test('a wrong password leads back to the sign-in, says so, and keeps the wanted page', async () => {
  const http = await HttpDesk.open()
  const browser = new Browser(http)
  const back = '/login?next=%2Ftraffic'
  const reply = await browser.submit('/auth/login', {
    username: 'asha',
    password: 'wrong',
    next: '/traffic',
    back,
  })
  const page = await browser.follow(reply.headers.get('location') ?? '')
  expect(page.path).toBe(back)
  expect(page.text).toContain('Invalid credentials')
  expect(page.text).not.toContain('wrong')
  const signedIn = await browser.submit('/auth/login', {
    username: 'asha',
    password: 'Passw0rd!',
    next: '/traffic',
  })
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/traffic'])
  expect(signedIn.text).toBe('')
  expect((await browser.follow('/login?next=%2Flatency')).path).toBe('/latency')
  expect((await browser.act('/auth/logout')).path).toBe('/login')
  expect((await browser.open('/logs')).status).toBe(303)
})

test('a script that signs in with a form gets JSON, as before', async () => {
  const http = await HttpDesk.open()
  const text = String(new URLSearchParams({ username: 'asha', password: 'Passw0rd!' }))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, body } = await http.request('POST', '/auth/login', { text, headers })
  expect([status, body.status, typeof body.token]).toEqual([200, 'success', 'string'])
})

test('an address is banned and released from the page, and the settings of bans are kept', async () => {
  const http = await HttpDesk.open()
  const browser = await Browser.signedIn(http)
  const ban = { ip_address: '203.0.113.7', reason: 'scans', duration_hours: '24', permanent: '' }
  expect((await browser.act('/security/ban', ban)).text).toContain('IP 203.0.113.7 has been banned')
  expect((await browser.act('/security/ban', { ip_address: 'x' })).text).toContain(
    'Invalid IP address format',
  )
  expect((await browser.open('/logs/security')).text).toContain('<b>203.0.113.7</b>')
  expect((await browser.act('/security/unban', { ip_address: '203.0.113.7' })).text).toContain(
    'has been unbanned',
  )
  const settings = { auto_ban_enabled: 'true', threshold_404: '50' }
  expect((await browser.act('/security/settings', settings)).text).toContain('value="50"')
  expect(http.desk.service.settings.get().securityAutoBanEnabled).toBe(true)
})

test('no form makes the service fail, whatever is in it', async () => {
  const http = await withQueue(1)
  const browser = await Browser.signedIn(http)
  const csrf_token = await browser.csrfToken()
  const paths = [
    '/action-center/reject/%00',
    '/action-center/approve/1e3',
    '/action-center/delete/-1',
    '/action-center/approve-all/99999999999999999999',
    '/security/ban',
    '/security/settings',
    '/auth/login/totp',
    '/setup',
  ]
  const texts = [
    'reason=%ZZ&reason=b&__proto__=x&constructor=y&toString=z',
    `ip_address=${'9'.repeat(5000)}&permanent=true&duration_hours=1e400`,
    'threshold_404=%00&auto_ban_enabled=maybe&back=%00&next=%E0%A4%A',
    '=&=&&&a',
    '{"json":true}',
    `totp_code=${encodeURIComponent('💣\u202e')}&username=&password=`,
  ]
  for (const path of paths) {
    for (const text of texts) {
      const fields = Object.fromEntries(new URLSearchParams(`${text}&csrf_token=${csrf_token}`))
      const { status, headers } = await browser.submit(path, fields)
      expect([path, text, status]).toEqual([path, text, 303])
      expect(headers.get('location')).toMatch(/^\/[a-z]/)
    }
  }
  expect(await statusOf(http)).toEqual({ 1: 'pending' })
  expect(await http.desk.ledger()).toEqual([])
})

test('a ban of the own address asks on a page, and is made after the word', async () => {
  const http = await HttpDesk.open({ env: { TRUST_PROXY_HEADERS: 'true' } })
  const browser = await Browser.signedIn(http)
  const csrf_token = await browser.csrfToken()
  const { bans } = http.daemon.service.security
  const submit = (fields: Record<string, string>) =>
    browser.submit(
      '/security/ban',
      { csrf_token, ip_address: '::ffff:198.51.100.7', duration_hours: '2', ...fields },
      { 'x-real-ip': '198.51.100.7' },
    )
  const question = await submit({ reason: 'a <test>' })
  expect(question.text).toContain('<h1>Ban your own address?</h1>')
  expect(question.text).toMatch(/You will be locked out until [\d-]+ [\d:]+ IST\./)
  const fields = [...question.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  expect(Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))).toMatchObject({
    ip_address: '::ffff:198.51.100.7',
    reason: 'a &lt;test&gt;',
    duration_hours: '2',
    permanent: '',
  })
  expect(question.text).toMatch(/<input type="text" name="word"/)
  for (const word of ['', 'ban', 'yes']) expect((await submit({ word })).status).toBe(303)
  expect((await browser.open('/security')).text).toContain('Nothing was banned: type BAN')
  expect(bans.isBanned('198.51.100.7')).toBe(false)
  await submit({ word: ' BAN ' })
  expect(bans.isBanned('198.51.100.7')).toBe(true)
})

test('a result that somebody makes up in the cookie is text at most', async () => {
  const http = await HttpDesk.open()
  for (const made of [
    'x',
    '%7B%7D',
    Buffer.from('{"tone":"<b>","text":1}').toString('base64url'),
    'A'.repeat(3000),
  ]) {
    const { status, text } = await http.request('GET', '/login', {
      headers: { ...BROWSER, cookie: `svc_notice=${made}` },
    })
    expect([made, status, text.includes('class="notice')]).toEqual([made, 200, false])
  }
  const made = Buffer.from('{"tone":"good","text":"<script>alert(1)</script>"}').toString('base64url')
  const { text } = await http.request('GET', '/login', {
    headers: { ...BROWSER, cookie: `svc_notice=${made}` },
  })
  expect(text).toContain('&lt;script&gt;alert(1)')
})
