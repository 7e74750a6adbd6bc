import { expect, test } from 'vitest'
import { MINUTE_MS } from '../../../src/core/time/index.js'
import { Browser } from '../../support/desk/browser.js'
import { USER } from '../../support/desk/desk.js'
import { HttpDesk, PASSWORD } from '../../support/desk/http-desk.js'

const PAIR = {
  name: 'Pair <b>',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  strategy_type: 'positional',
  product: 'MIS',
  universe_tab: 'stocks_fno',
  overall_sl_mtm: 2500,
  legs: [
    { segment: 'cash', position: 'B', lots: 10, sl_pts: 500 },
    { segment: 'cash', position: 'S', lots: 4, sl_pts: 500 },
  ],
}
const API = '/strategy/api/strategies/1'
const PAGE = '/strategies/1'

/** A desk with one strategy, and a browser that is signed in. */
async function open() {
  const http = await HttpDesk.open()
  const { modeSwitch, strategyCatalog: catalog, strategyHistory: history } = http.desk.service
  await catalog.create(USER, PAIR)
  const browser = await Browser.signedIn(http)
  const settled = <T>(promise: Promise<T>) => http.desk.settled(promise)
  const act = (path: string, fields: Record<string, string> = {}) => settled(browser.act(path, fields))
  const running = async () => (await history.unfinished(USER)).map(({ mode }) => mode)
  const allowLive = async () => {
    await catalog.setLive(USER, 1, true)
    await modeSwitch.set(false, USER)
  }
  const startLive = async () => {
    const review = (await browser.open(`${PAGE}?confirm=live`)).text
    return act(`${API}/start`, { ...fieldsOf(review, `${API}/start`), word: 'live' })
  }
  return { act, allowLive, browser, catalog, http, running, settled, startLive }
}

const noticeIn = (text: string) => /<p class="notice (\w+)" role="\w+">([^<]*)/.exec(text)?.slice(1)
/** Returns the hidden fields of the form of an act, as the page has them. */
function fieldsOf(text: string, action: string): Record<string, string> {
  const form = text.split('<form ').find((one) => one.includes(`action="${action}"`)) ?? ''
  const inputs = form.split('</form>')[0] ?? ''
  return Object.fromEntries(
    [...inputs.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&amp;', '&'),
    ]),
  )
}

test('a strategy is started in the sandbox, shown with legs, orders, events and profit, and stopped after a question', async () => {
  const { act, browser, running, http } = await open()
  const empty = await browser.open('/strategies')
  expect(empty.text).toMatch(/href="\/strategies\/1"><b>Pair &lt;b&gt;<\/b>/)
  expect(empty.text).toContain('never ran')
  const started = await act(`${API}/start`, { mode: 'sandbox', back: PAGE })
  expect([started.path, noticeIn(started.text)]).toEqual([
    PAGE,
    ['good', 'Run 1 has started in sandbox mode.'],
  ])
  expect(await running()).toEqual(['sandbox'])
  await http.desk.clock.advance(2000)
  const list = (await browser.open('/strategies?status=running')).text
  expect(list).toMatch(/class="badge good">running</)
  expect(list).toMatch(/data-label="P&amp;L"><div><span class="\w*">-?₹/)
  const { text } = await browser.open(PAGE)
  for (const part of ['long 10', 'short 4', 'Legs now', 'of run 1', 'run_started', '10 of 10', 'order id']) {
    expect(text).toContain(part)
  }
  expect(text).toMatch(/data-label="Severity"><div><span class="badge ">info</)
  expect(text).not.toContain(`action="${API}/stop"`)
  const question = (await browser.open(`${PAGE}?confirm=stop`)).text
  expect(question).toMatch(
    /It closes at the market, in the sandbox:[\s\S]*leg 1: long 10[\s\S]*leg 2: short 4/,
  )
  const stopped = await act(`${API}/stop`, fieldsOf(question, `${API}/stop`))
  expect([stopped.path, noticeIn(stopped.text)]).toEqual([PAGE, ['good', 'Run 1 is stopped.']])
  expect(await running()).toEqual([])
  expect((await browser.open(`${PAGE}?confirm=stop`)).text).not.toContain('Stop and close')
  expect((await browser.open('/strategies')).text).toMatch(/#1 <span class="badge">sandbox/)
})

test('one leg is closed after a question, and the kill switch locks the webhook and stops the rest', async () => {
  const { act, browser, catalog, running } = await open()
  await act(`${API}/start`, { mode: 'sandbox' })
  const question = (await browser.open(`${PAGE}?confirm=close&leg=2`)).text
  expect(question).toMatch(/short 4 <b>SBIN<\/b> NSE\. The other legs stay open\./)
  const closed = await act(`${API}/legs/2/close`, fieldsOf(question, `${API}/legs/2/close`))
  expect(noticeIn(closed.text)).toEqual(['good', 'Leg 2 is being closed. The run goes on.'])
  expect((await browser.open(`${PAGE}?confirm=close&leg=7`)).text).toContain('This leg is not open any more.')
  const kill = (await browser.open(`${PAGE}?confirm=kill`)).text
  const killed = await act(`${API}/kill_switch`, fieldsOf(kill, `${API}/kill_switch`))
  expect(noticeIn(killed.text)).toEqual(['good', 'Kill switch engaged and open legs closed'])
  expect(killed.text).toMatch(/class="badge bad">critical</)
  expect([await running(), (await catalog.get(USER, 1)).webhookLocked]).toEqual([[], true])
  expect(noticeIn((await act(`${API}/unlock_webhook`)).text)).toEqual(['good', 'Webhook unlocked'])
  expect((await catalog.get(USER, 1)).webhookLocked).toBe(false)
})

test('a live start is reviewed, and needs the typed word', async () => {
  const { act, allowLive, browser, http, running } = await open()
  expect((await browser.open(PAGE)).text).not.toContain('Start live')
  await allowLive()
  expect((await browser.open(PAGE)).text).toContain('Start live')
  const review = (await browser.open(`${PAGE}?confirm=live`)).text
  for (const part of ['<dd>simulated</dd>', '<dd>₹2,500.00</dd>', 'Type live to confirm', '10 shares']) {
    expect(review).toContain(part)
  }
  const fields = fieldsOf(review, `${API}/start`)
  for (const word of ['', 'y', 'live orders']) {
    const after = await act(`${API}/start`, { ...fields, word })
    expect([after.path, noticeIn(after.text)]).toEqual([
      `${PAGE}?confirm=live`,
      ['bad', 'Nothing was started: type live to start with live orders.'],
    ])
  }
  expect([await running(), await http.desk.ledger()]).toEqual([[], []])
  const started = await act(`${API}/start`, { ...fields, word: 'Live ' })
  expect([started.path, noticeIn(started.text)]).toEqual([PAGE, ['good', 'Run 1 has started in live mode.']])
  expect(await running()).toEqual(['live'])
  expect(await http.desk.ledger()).toHaveLength(2)
})

test('a start before the entry time says that it does not wait for it', async () => {
  const { allowLive, browser, catalog } = await open()
  await allowLive()
  expect((await browser.open(`${PAGE}?confirm=live`)).text).toContain('<dd>now</dd>')
  await catalog.change(USER, 1, { entry_time: '11:30' })
  const said = 'before its entry time 11:30'
  expect((await browser.open(PAGE)).text).toContain(`Start in the sandbox now, ${said}`)
  expect((await browser.open(`${PAGE}?confirm=live`)).text).toContain(`<dd>now, ${said}</dd>`)
})

test('a live start is refused when strategy or broker differ from the reviewed ones', async () => {
  const { act, allowLive, browser, catalog, http } = await open()
  await allowLive()
  const review = async () => fieldsOf((await browser.open(`${PAGE}?confirm=live`)).text, `${API}/start`)
  const old = await review()
  await http.desk.clock.advance(1000)
  await catalog.change(USER, 1, { overall_sl_mtm: 9000 })
  const changed = await act(`${API}/start`, { ...old, word: 'live' })
  expect(noticeIn(changed.text)).toEqual([
    'bad',
    'The strategy has changed since the review. Review the start again.',
  ])
  expect(changed.text).toContain('<dd>₹9,000.00</dd>')
  const moved = await act(`${API}/start`, { ...(await review()), broker: 'zerodha', word: 'live' })
  expect(noticeIn(moved.text)?.[1]).toMatch(/^The broker is simulated now, and the review was for zerodha\./)
  expect(await http.desk.ledger()).toEqual([])
  expect(noticeIn((await act(`${API}/start`, { ...(await review()), word: 'live' })).text)?.[0]).toBe('good')
})

test('in Analyzer mode the review says why no live run starts, and has no button', async () => {
  const { allowLive, browser, http } = await open()
  await allowLive()
  await http.desk.service.modeSwitch.set(true, USER)
  const { text } = await browser.open(`${PAGE}?confirm=live`)
  expect(text).toContain('The service is in Analyzer mode, where no live run starts.')
  expect(text).not.toContain(`action="${API}/start"`)
})

test('live runs are allowed only with a recent password: its page leads back, and refusing them never asks', async () => {
  const { act, browser, catalog, http, settled } = await open()
  await http.desk.clock.advance(16 * MINUTE_MS)
  const question = `${PAGE}?confirm=allow-live`
  const fields = fieldsOf((await browser.open(question)).text, `${API}/live`)
  const asked = await act(`${API}/live`, fields)
  expect(asked.path).toBe(`/auth/reauthenticate?${new URLSearchParams({ next: question })}`)
  expect(noticeIn(asked.text)?.[1]).toMatch(/^Nothing was changed yet/)
  expect((await catalog.get(USER, 1)).liveEnabled).toBe(false)
  const proof = fieldsOf(asked.text, '/auth/reauthenticate')
  const wrong = await act('/auth/reauthenticate', { ...proof, password: 'wrong' })
  expect([wrong.path, noticeIn(wrong.text)?.[1]]).toEqual([
    asked.path,
    'The password is wrong. · invalid_password',
  ])
  const proven = await act('/auth/reauthenticate', { ...proof, password: PASSWORD })
  expect(proven.path).toBe(question)
  const allowed = await act(`${API}/live`, fieldsOf(proven.text, `${API}/live`))
  expect([allowed.path, noticeIn(allowed.text)]).toEqual([PAGE, ['good', 'Live runs are allowed now.']])
  expect((await catalog.get(USER, 1)).liveEnabled).toBe(true)
  await http.desk.clock.advance(16 * MINUTE_MS)
  expect(noticeIn((await settled(act(`${API}/live`, { enabled: 'false' }))).text)).toEqual([
    'good',
    'Live runs are refused now.',
  ])
})

test('a password page leads to no other site', async () => {
  const { act, browser } = await open()
  const { text } = await browser.open(
    `/auth/reauthenticate?${new URLSearchParams({ next: '//evil.example/x' })}`,
  )
  expect(text).not.toContain('evil.example/x"')
  const proof = await browser.submit('/auth/reauthenticate', {
    csrf_token: await browser.csrfToken(),
    password: PASSWORD,
    next: 'https://evil.example',
  })
  expect(proof.headers.get('location')).toBe('/action-center')
  expect((await act(`${API}/stop`, { back: 'https://evil.example' })).path).toBe(PAGE)
})

/** Every form of the page, with the fields that it sends. */
const ACTS: readonly (readonly [string, Record<string, string>])[] = [
  [`${API}/start`, { mode: 'sandbox' }],
  [`${API}/start`, { mode: 'live', word: 'live' }],
  [`${API}/stop`, {}],
  [`${API}/legs/1/close`, {}],
  [`${API}/runs/1/release`, { reason: 'closed', closed_by_hand: 'true', positions_checked: 'true' }],
  [`${API}/kill_switch`, {}],
  [`${API}/live`, { enabled: 'true' }],
  [`${API}/live`, { enabled: 'false' }],
  [`${API}/unlock_webhook`, {}],
]

/** The headers of a form on another site. */
const FOREIGN: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example' },
]

/** A desk with a live run, and a way to see whether a form has changed anything. */
async function watched() {
  const desk = await open()
  await desk.allowLive()
  await desk.startLive()
  const { catalog, http, running } = desk
  const state = async () => [
    await running(),
    await http.desk.ledger(),
    await catalog.get(USER, 1),
    await http.desk.service.databases.svc.queryRaw('select * from strategy_events'),
  ]
  expect((await state())[0]).toEqual(['live'])
  return { ...desk, state }
}

test('a form without the token of its session, or of another site, changes nothing', async () => {
  const { browser, http, settled, state } = await watched()
  const before = await state()
  const [csrf_token, of] = [await browser.csrfToken(), await (await Browser.signedIn(http)).csrfToken()]
  for (const [path, fields] of ACTS) {
    for (const token of ['', 'x', of]) {
      const reply = await settled(browser.submit(path, { ...fields, csrf_token: token }))
      expect([path, reply.status, reply.headers.get('location')]).toEqual([path, 303, PAGE])
      expect((await browser.open(PAGE)).text).toContain('Submit it again')
    }
    for (const headers of FOREIGN) {
      const reply = await settled(browser.submit(path, { ...fields, csrf_token }, headers))
      expect([path, reply.status]).toEqual([path, 403])
    }
  }
  expect(await state()).toEqual(before)
})

test('without a session each form leads to the sign-in, and changes nothing', async () => {
  const { http, settled, state } = await watched()
  const before = await state()
  for (const [path, fields] of ACTS) {
    const visitor = new Browser(http)
    const reply = await settled(visitor.submit(path, { ...fields, csrf_token: 'x', back: PAGE }))
    const location = `/auth/login?${new URLSearchParams({ next: PAGE })}`
    expect([path, reply.status, reply.headers.get('location')]).toEqual([path, 303, location])
  }
  expect(await state()).toEqual(before)
})

test('no form of the page makes the service fail, whatever is in it', async () => {
  const { browser, settled, state } = await watched()
  const before = await state()
  const csrf_token = await browser.csrfToken()
  const forms: readonly (readonly [string, string])[] = [
    ...['%00', '0', '-1', '1e3', '99999999999999999999', '__proto__'].flatMap((id) =>
      ['start', 'stop', 'kill_switch', 'live', 'legs/1/close', 'runs/1/release'].map(
        (act) => [`/strategy/api/strategies/${id}/${act}`, 'mode=sandbox'] as const,
      ),
    ),
    ...['%00', '0', '11', 'x', '__proto__'].map((leg) => [`${API}/legs/${leg}/close`, ''] as const),
    ...['', 'mode=', 'mode=paper', 'mode=live', 'mode=live&word=live&updated_at=soon&broker=%00'].map(
      (text) => [`${API}/start`, text] as const,
    ),
    [`${API}/start`, `mode=${'x'.repeat(60_000)}`],
    [`${API}/start`, 'mode=sandbox&__proto__=x&constructor=y'],
  ]
  for (const [path, text] of forms) {
    const fields = Object.fromEntries(new URLSearchParams(`${text}&csrf_token=${csrf_token}`))
    const { status, headers } = await settled(browser.submit(path, fields))
    expect([path, text, status]).toEqual([path, text, 303])
    const after = await browser.follow(headers.get('location') ?? '')
    expect([path, text, after.status < 500]).toEqual([path, text, true])
  }
  expect(await state()).toEqual(before)
})

test('the text of a broker is shown as text', async () => {
  const { allowLive, browser, http, startLive } = await open()
  await allowLive()
  const message = '</td><script>alert(1)</script>\u202Eevil'
  http.desk.service.brokers.plugins
    .faults()
    .set([{ on: ['place'], kind: 'fail', httpStatus: 422, message, times: 1 }])
  await startLive()
  const { text } = await browser.open(PAGE)
  expect(text).toContain('&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]evil')
  expect(text).not.toContain('<script>alert')
  expect(text).not.toMatch(/\p{Cf}/u)
})

test('a strategy or a run of others is not found', async () => {
  const { browser, catalog, http } = await open()
  const { strategy } = await catalog.create('ravi', { ...PAIR, name: 'Of another' })
  for (const path of [`/strategies/${strategy.id}`, '/strategies/999', '/strategies/x', `${PAGE}?run_id=9`]) {
    expect([path, (await browser.open(path)).status]).toEqual([path, 404])
  }
  for (const path of [`${PAGE}?run_id=x`, '/strategies?status=odd', '/strategies?before=-1']) {
    expect([path, (await browser.open(path)).status]).toEqual([path, 400])
  }
  expect((await browser.open('/strategies')).text).not.toContain('Of another')
  expect((await new Browser(http).open(PAGE)).headers.get('location')).toMatch(/^\/auth\/login/)
})

test('a list of more than a hundred has pages', async () => {
  const { browser, catalog } = await open()
  for (let i = 2; i <= 101; i++) await catalog.create(USER, { ...PAIR, name: `No. ${i}` })
  const first = (await browser.open('/strategies')).text
  expect([first.includes('100 of 101'), first.includes('Pair')]).toEqual([true, false])
  const older = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? ''
  expect((await browser.open(older)).text).toContain('Pair &lt;b&gt;')
})
