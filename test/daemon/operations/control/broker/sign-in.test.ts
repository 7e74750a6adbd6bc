import { describe, expect, it } from 'vitest'
import { FAKE_ACCOUNT, FakeKite } from '../../../../fixtures/fake-kite/server.js'
import { USER } from '../../../../support/desk/desk.js'
import { bearer, HttpDesk } from '../../../../support/desk/http-desk.js'

const { apiKey, apiSecret } = FAKE_ACCOUNT
const MINUTE_MS = 60_000
const PAGE = { accept: 'text/html' }

/** Opens a daemon with the fake broker, and a person who signs in at its page. */
async function open(env: Record<string, string> = {}) {
  const fake = await FakeKite.start()
  const { api, login, ticker } = fake.endpoints
  const http = await HttpDesk.open({
    env: { BROKER_ENDPOINTS: `zerodha.api=${api},zerodha.login=${login},zerodha.ticker=${ticker}`, ...env },
  })
  const { desk } = http
  await desk.service.brokers.use('zerodha')
  const headers = bearer(await http.tokenOf('admin'))
  const begin = async (fields: object = { api_key: apiKey, api_secret: apiSecret }) => {
    const { body } = await http.request('POST', '/broker/login/begin', { headers, body: { fields } })
    return body.data as { id: string; address: string; redirect_url: string | null; state_expires_at: string }
  }
  /** Signs in at the page of the broker; returns the path to which it sends the browser. */
  const signInAt = async (address: string) => {
    const answer = await fetch(address, { redirect: 'manual' })
    const { pathname, search } = new URL(answer.headers.get('location') ?? 'http://none')
    return pathname + search
  }
  const callback = (path: string) => desk.settled(http.request('GET', path, { headers: PAGE }))
  const stageOf = async (id: string) =>
    (await http.request('GET', `/broker/login/${id}`, { headers })).body.data
  return { fake, http, desk, headers, begin, signInAt, callback, stageOf }
}

type Rig = Awaited<ReturnType<typeof open>>

describe('a sign-in at the page of the broker', () => {
  it('signs in with its callback, and tells the person to close the page', async () => {
    const { begin, signInAt, callback, stageOf, desk } = await open()
    const { address, id } = await begin()
    expect(await stageOf(id)).toMatchObject({ stage: 'waiting', broker: 'zerodha' })
    const path = await signInAt(address)
    const page = await callback(path)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Signed in, close this page')
    expect(page.text).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'none'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(desk.service.brokers.sessionStatus()).toMatchObject({ broker: 'zerodha', state: 'signed_in' })
    expect(await stageOf(id)).toMatchObject({ stage: 'signed_in', reason: null })

    const token = new URLSearchParams(path.slice(path.indexOf('?'))).get('request_token') ?? 'none'
    const { audit } = desk.service
    await audit.flush()
    const acts = await audit.list({ limit: 1000, after: 0 })
    expect(acts).toContainEqual(
      expect.objectContaining({ act: 'broker.sign_in', actor: USER, target: 'zerodha', outcome: 'done' }),
    )
    for (const secret of [token, apiSecret]) expect(JSON.stringify(acts)).not.toContain(secret)
  })

  it('uses the keys of the configuration, and names the address to which the broker leads', async () => {
    const redirect = 'https://desk.example/zerodha/callback'
    const env = { BROKER_API_KEY: apiKey, BROKER_API_SECRET: apiSecret, REDIRECT_URL: redirect }
    const { begin, signInAt, callback } = await open(env)
    const begun = await begin({})
    expect(begun.redirect_url).toBe(redirect)
    expect((await callback(await signInAt(begun.address))).status).toBe(200)
  })

  it('needs what the page of the broker needs', async () => {
    const { http, headers } = await open()
    const answer = await http.request('POST', '/broker/login/begin', {
      headers,
      body: { fields: { api_key: apiKey } },
    })
    expect([answer.status, answer.body.message]).toEqual([400, 'fields: Missing api_secret.'])
  })

  it('is refused by a broker without such a page', async () => {
    const { http, headers, desk } = await open()
    await desk.service.brokers.use('simulated')
    const answer = await http.request('POST', '/broker/login/begin', { headers, body: { fields: {} } })
    expect([answer.status, answer.body.message]).toEqual([501, expect.stringContaining('has no log-in page')])
  })
})

/** What somebody does to a callback; it must not sign in, and the page must say what to do. */
const HOSTILE: Record<string, (rig: Rig) => Promise<string>> = {
  'a callback that was used': async ({ begin, signInAt, callback }) => {
    const path = await signInAt((await begin()).address)
    await callback(path)
    return path
  },
  'a callback after ten minutes': async ({ begin, signInAt, desk }) => {
    const path = await signInAt((await begin()).address)
    await desk.clock.advance(10 * MINUTE_MS)
    return path
  },
  'a callback without a state': async () => '/zerodha/callback?request_token=abc&status=success',
  'a callback with a made-up state': async () =>
    '/zerodha/callback?request_token=abc&status=success&state=a.b.c.d',
  'a state for another broker': async ({ begin, signInAt }) =>
    (await signInAt((await begin()).address)).replace('/zerodha/', '/simulated/'),
  'a person who did not sign in': async ({ begin, signInAt, fake }) => {
    fake.signIn.outcome = 'cancelled'
    return signInAt((await begin()).address)
  },
  'a callback without a status': async ({ begin, signInAt }) =>
    (await signInAt((await begin()).address)).replace('status=success', 'other=success'),
  'a token of somebody else': async ({ begin, signInAt }) =>
    (await signInAt((await begin()).address)).replace(/request_token=\w+/, 'request_token=stolen'),
  'a callback whose broker is not in use any more': async ({ begin, signInAt, desk }) => {
    const path = await signInAt((await begin()).address)
    await desk.service.brokers.use('simulated')
    return path
  },
}

describe.each(Object.keys(HOSTILE))('%s', (name) => {
  it('signs nobody in', async () => {
    const rig = await open()
    const path = (await HOSTILE[name]?.(rig)) ?? ''
    const calls = rig.fake.requests.length
    const before = rig.desk.service.brokers.currentSession()
    const page = await rig.callback(path)
    expect(page.status).toBeGreaterThanOrEqual(400)
    expect(page.text).toContain('svc broker login')
    expect(page.text).toContain('Not signed in')
    expect(rig.desk.service.brokers.currentSession()).toBe(before)
    // Only a state of ours reaches the broker.
    if (name !== 'a token of somebody else') expect(rig.fake.requests.length).toBe(calls)
  })
})

describe('the callback', () => {
  it('signs in with the key that the sign-in began with, whatever the query says', async () => {
    const { begin, signInAt, callback, desk } = await open()
    const path = await signInAt((await begin()).address)
    const mixed = `${path}&api_key=attacker&api_secret=x&access_token=y&user_id=ZZ9999`
    expect((await callback(mixed)).status).toBe(200)
    expect(desk.service.brokers.currentSession()?.accessToken).toMatch(new RegExp(`^${apiKey}:`))
  })

  it('signs in once, when two tabs open it at the same time', async () => {
    const { begin, signInAt, callback } = await open()
    const path = await signInAt((await begin()).address)
    const statuses = await Promise.all([callback(path), callback(path)])
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, 403])
  })

  it('of each of two tabs belongs to its own sign-in', async () => {
    const { begin, signInAt, callback, stageOf } = await open()
    const [one, two] = [await begin(), await begin()]
    const [pathOne, pathTwo] = [await signInAt(one.address), await signInAt(two.address)]
    expect((await callback(pathTwo)).status).toBe(200)
    expect(await stageOf(one.id)).toMatchObject({ stage: 'waiting' })
    expect((await callback(pathOne)).status).toBe(200)
  })

  it('is not used up by a preview of its address', async () => {
    const { http, begin, signInAt, callback, stageOf } = await open()
    const { address, id } = await begin()
    const path = await signInAt(address)
    const preview = await http.request('HEAD', path)
    expect([preview.status, preview.headers.get('allow')]).toEqual([405, 'GET'])
    expect(await stageOf(id)).toMatchObject({ stage: 'waiting' })
    expect((await callback(path)).status).toBe(200)
  })

  it('shows nothing of its query', async () => {
    const { callback } = await open()
    const html = encodeURIComponent('<img src=x onerror=alert(1)>')
    const page = await callback(`/zerodha/callback?state=${html}&status=${html}&request_token=${html}`)
    expect(page.text).not.toContain('onerror')
    expect((await callback(`/${html}/callback?state=${html}`)).text).not.toContain('onerror')
  })

  it('answers a script with JSON', async () => {
    const { http, begin, signInAt, desk } = await open()
    const path = await signInAt((await begin()).address)
    expect(await desk.settled(http.request('GET', path))).toMatchObject({
      status: 200,
      body: { status: 'success', broker: 'Zerodha' },
    })
  })
})
