import { createHmac } from 'node:crypto'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALLBACK, CHALLENGE, oauthParties, VERIFIER } from '../support/oauth/parties.js'
import { type OAuthProcess, oauthProcess } from '../support/oauth/process.js'

/* Everything that somebody without the owner's consent may try on OAuth, against the real process. */

let rig: OAuthProcess
let clientId = ''
beforeAll(async () => {
  rig = await oauthProcess()
  clientId = await rig.client()
})
afterAll(() => rig.daemon.dispose())

const errorOf = ({ body, status }: { status: number; body: Record<string, unknown> }) => [status, body.error]
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a registration', () => {
  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://assistant.example/callback',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'https://user:secret@assistant.example/',
    'https://user@assistant.example/',
    'https://assistant.example/#x',
    'https://assistant.example/#',
    'https:assistant.example',
    'https:\\\\assistant.example\\',
    'https://',
    '//assistant.example',
    'assistant.example/callback',
    'view-source:https://assistant.example/',
    'https://assistant.example/\u202e',
    ' https://assistant.example/',
    `https://assistant.example/${'a'.repeat(2000)}`,
  ])('for %j is refused', async (uri) => {
    expect(errorOf(await rig.register({ redirect_uris: [uri] }))).toEqual([400, 'invalid_redirect_uri'])
    // Beside one that can be used it is left out.
    const { body } = await rig.register({ redirect_uris: [uri, CALLBACK] })
    expect(body.redirect_uris).toEqual([CALLBACK])
  })

  it('with too much, too little, or other rights than there are is refused', async () => {
    const refusals: [metadata: object, status: number, error: string][] = [
      [{ redirect_uris: [] }, 400, 'invalid_redirect_uri'],
      [
        { redirect_uris: ['app.custom://callback'], token_endpoint_auth_method: 'client_secret_post' },
        400,
        'invalid_redirect_uri',
      ],
      [{ client_name: 7 }, 400, 'invalid_client_metadata'],
      [{ token_endpoint_auth_method: 'private_key_jwt' }, 400, 'invalid_client_metadata'],
      [{ logo: 'x'.repeat(20_000) }, 413, 'invalid_client_metadata'],
      [{ client_name: 'x'.repeat(5000) }, 400, 'invalid_client_metadata'],
    ]
    for (const [metadata, status, error] of refusals) {
      expect([Object.keys(metadata), ...errorOf(await rig.register(metadata))]).toEqual([
        Object.keys(metadata),
        status,
        error,
      ])
    }
  })

  it('gets a name without characters that control a terminal, and cut to 200', async () => {
    const { body } = await rig.register({ client_name: `a\u001b[2J\u202eb${'c'.repeat(300)}` })
    expect(body.client_name).toBe(`a [2J b${'c'.repeat(193)}`)
  })

  it('can be repeated ten times an hour from an address', async () => {
    const send = rig.sendAs('203.0.113.50')
    const { register } = oauthParties(send, {})
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await register()).status)
    expect(statuses).toEqual([...Array(10).fill(201), 429])
  })
})

describe('a request for consent', () => {
  it('never leads to an address that the client has not registered', async () => {
    const wrong = [
      'https://evil.example/',
      `${CALLBACK}/`,
      `${CALLBACK}?a=1`,
      `${CALLBACK}#a`,
      CALLBACK.replace('https', 'http'),
      CALLBACK.toUpperCase(),
      `${CALLBACK}@evil.example`,
      CALLBACK.replace('assistant', 'user@assistant'),
      '//assistant.example/callback',
      '',
    ]
    for (const redirect_uri of wrong) {
      const asked = await rig.ask(rig.asking(clientId, { redirect_uri }))
      expect([redirect_uri, ...errorOf(asked), asked.headers.get('location')]).toEqual([
        redirect_uri,
        400,
        'invalid_request',
        null,
      ])
      const decided = await rig.decide({
        ...rig.asking(clientId, { redirect_uri }),
        decision: 'approve',
        consent: 'x',
      })
      expect([redirect_uri, ...errorOf(decided)]).toEqual([redirect_uri, 400, 'invalid_request'])
    }
  })

  it('of nobody, of an unknown client or with a long state is refused here', async () => {
    const { client_id: _, ...nobody } = rig.asking(clientId)
    expect((await rig.ask(nobody)).body.message).toBe('client_id is required.')
    expect(errorOf(await rig.ask(rig.asking('nobody')))).toEqual([400, 'invalid_client'])
    expect((await rig.ask(rig.asking(clientId, { state: 'x'.repeat(513) }))).body.message).toBe(
      'state parameter too long (max 512 chars).',
    )
  })

  it.each([
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method', { code_challenge_method: '' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
    ['a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['another audience', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('with %s goes back to the client as a refusal', async (_, more, error) => {
    const { headers, status } = await rig.ask(rig.asking(clientId, more))
    const to = new URL(headers.get('location') ?? '')
    expect([
      status,
      to.origin + to.pathname,
      to.searchParams.get('error'),
      to.searchParams.get('state'),
    ]).toEqual([302, CALLBACK, error, 'st-1'])
    expect(to.searchParams.has('code')).toBe(false)
  })

  it('for more than the client registered is refused, also in the hidden fields of the page', async () => {
    const reader = await rig.client({ scope: 'read:market' })
    const asked = await rig.ask(rig.asking(reader, { scope: 'read:market write:orders' }))
    expect(new URL(asked.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_scope')
    const shown = rig.asking(clientId, { scope: 'read:market' })
    const changes: Record<string, string>[] = [
      { scope: 'read:market write:orders' },
      { state: 'other' },
      { code_challenge: 'x'.repeat(43) },
      { consent: '' },
    ]
    for (const changed of changes) {
      const { body } = await rig.ask(shown)
      const sent = { ...shown, consent: String(body.consent), decision: 'approve', ...changed }
      expect([changed, ...errorOf(await rig.decide(sent))]).toEqual([changed, 400, 'invalid_request'])
    }
  })

  it('needs the session of the owner, and the token of its page against other sites', async () => {
    const params = rig.asking(clientId)
    expect((await rig.ask(params, {})).status).toBe(401)
    const browser = { accept: 'text/html' }
    const page = await rig.ask(params, browser)
    const signIn = new URL(page.headers.get('location') ?? '', rig.daemon.url)
    expect([page.status, signIn.pathname]).toEqual([303, '/auth/login'])
    expect(signIn.searchParams.get('next')).toBe(`/oauth/authorize?${new URLSearchParams(params)}`)

    const cookie = `session=${rig.daemon.token}`
    const { body } = await rig.ask(params)
    const decision = { ...params, consent: String(body.consent), decision: 'approve' }
    expect((await rig.decide(decision, { cookie })).body.error).toBe('CSRF validation failed')
    const form = await rig.form('/oauth/authorize', decision, { cookie, ...browser })
    expect([form.status, form.headers.get('location')]).toEqual([303, '/oauth/authorize'])
    const foreign = { cookie, ...browser, 'sec-fetch-site': 'cross-site' }
    expect((await rig.form('/oauth/authorize', decision, foreign)).status).toBe(403)
  })

  it('of another session of the owner cannot be answered here', async () => {
    const params = rig.asking(clientId)
    const login = await rig.daemon.request<{ token: string }>('POST', '/auth/login', rig.account)
    const other = { authorization: `Bearer ${login.body.token}` }
    const { body } = await rig.ask(params, other)
    const decision = { ...params, consent: String(body.consent), decision: 'approve' }
    expect(errorOf(await rig.decide(decision))).toEqual([400, 'invalid_request'])
  })

  it('cannot be decided by a script with a token of the owner', async () => {
    const scopes = { name: 'script', scopes: ['read', 'admin'] }
    const made = await rig.daemon.request<{ token: string }>('POST', '/auth/tokens', scopes)
    const script = { authorization: `Bearer ${made.body.token}` }
    expect((await rig.ask(rig.asking(clientId), script)).status).toBe(403)
    expect((await rig.decide(rig.asking(clientId), script)).status).toBe(403)
  })

  it('shows a page that no other page can frame, script or send elsewhere', async () => {
    const cookie = `session=${rig.daemon.token}`
    const { headers, text } = await rig.ask(rig.asking(clientId, { back: '/evil', consent: 'made-up' }), {
      cookie,
      accept: 'text/html',
    })
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https://assistant.example;")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toContain('<script')
    expect(text).not.toContain('made-up')
  })
})

describe('a code', () => {
  it('works once; who sends it again ends what it brought', async () => {
    const code = await rig.codeFor(clientId)
    const first = await rig.redeem(clientId, code)
    expect(first.status).toBe(200)
    expect(errorOf(await rig.redeem(clientId, code))).toEqual([400, 'invalid_grant'])
    expect(errorOf(await rig.refresh(clientId, rig.tokensOf(first).refresh))).toEqual([400, 'invalid_grant'])
  })

  it('brings one family, also when ten requests send it at the same time', async () => {
    const code = await rig.codeFor(clientId)
    const replies = await Promise.all(Array.from({ length: 10 }, () => rig.redeem(clientId, code)))
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  })

  it.each([
    ['a wrong verifier', { code_verifier: 'w'.repeat(64) }],
    ['the challenge as verifier', { code_verifier: CHALLENGE }],
    ['a short verifier', { code_verifier: 'v' }],
    ['another address', { redirect_uri: 'https://assistant.example/other' }],
  ])('with %s is refused and used up', async (_, wrong) => {
    const code = await rig.codeFor(clientId)
    expect(errorOf(await rig.redeem(clientId, code, wrong))).toEqual([400, 'invalid_grant'])
    expect(errorOf(await rig.redeem(clientId, code))).toEqual([400, 'invalid_grant'])
  })

  it('of one client is worth nothing to another, and then to nobody', async () => {
    const other = await rig.client()
    const code = await rig.codeFor(clientId)
    expect((await rig.redeem(other, code)).body).toMatchObject({ error_description: 'client_id mismatch.' })
    expect(errorOf(await rig.redeem(clientId, code))).toEqual([400, 'invalid_grant'])
  })

  it('without a verifier, or with a parameter twice, is no request', async () => {
    const code = await rig.codeFor(clientId)
    expect(errorOf(await rig.redeem(clientId, code, { code_verifier: '' }))).toEqual([400, 'invalid_request'])
    const fields = new URLSearchParams({ grant_type: 'authorization_code', client_id: clientId, code })
    fields.append('code_verifier', VERIFIER)
    fields.append('code_verifier', 'w'.repeat(64))
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const twice = await rig.send('POST', '/oauth/token', { text: String(fields), headers })
    expect(errorOf(twice)).toEqual([400, 'invalid_request'])
  })

  it('for another audience is refused', async () => {
    const code = await rig.codeFor(clientId)
    const wrong = { resource: 'https://other.example/mcp' }
    expect(errorOf(await rig.redeem(clientId, code, wrong))).toEqual([400, 'invalid_target'])
  })
})

describe('a refresh token', () => {
  it('that comes again after its successor was used ends its whole family, also the token of the thief', async () => {
    const first = await rig.connect(clientId)
    const second = rig.tokensOf(await rig.refresh(clientId, first.refresh))
    const third = rig.tokensOf(await rig.refresh(clientId, second.refresh))
    expect(await rig.opens(third.access)).toBe(true)
    expect(errorOf(await rig.refresh(clientId, first.refresh))).toEqual([400, 'invalid_grant'])
    expect(errorOf(await rig.refresh(clientId, third.refresh))).toEqual([400, 'invalid_grant'])
    expect([await rig.opens(first.access), await rig.opens(third.access)]).toEqual([false, false])
  })

  it('never widens, whatever it was narrowed to', async () => {
    const { refresh } = await rig.connect(clientId)
    for (const scope of ['write:orders', 'read:market read:account', 'read:market write:orders']) {
      expect(errorOf(await rig.refresh(clientId, refresh, { scope }))).toEqual([400, 'invalid_scope'])
    }
  })

  it('of another client ends where it was stolen', async () => {
    const other = await rig.client()
    const { access, refresh } = await rig.connect(clientId)
    expect(errorOf(await rig.refresh(other, refresh))).toEqual([400, 'invalid_grant'])
    expect(await rig.opens(access)).toBe(false)
  })
})

describe('an access token', () => {
  it('that was made up, or changed, opens nothing', async () => {
    const { access } = await rig.connect(clientId)
    expect(await rig.opens(access)).toBe(true)
    const [header = '', , signature = ''] = access.split('.')
    const claims = decodeJwt(access)
    const { keys } = (await rig.send('GET', '/oauth/jwks.json')).body as { keys: { kid: string }[] }
    const [published] = keys
    const kid = String(published?.kid)
    const unsigned = (alg: string) => `${part({ alg, kid, typ: 'at+jwt' })}.${part(claims)}`
    const hmac = (secret: string) => {
      const text = unsigned('HS256')
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
    }
    const own = await generateKeyPair('RS256', { extractable: true })
    const signed = (more: object, key: CryptoKeyOf = own.privateKey) =>
      new SignJWT({ ...claims, ...more }).setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' }).sign(key)
    const jwk = await exportJWK(own.publicKey)
    const embedded = new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt', jwk })
    const forged = [
      `${unsigned('none')}.`,
      `${unsigned('None')}.${signature}`,
      hmac(JSON.stringify(published)),
      hmac(String((published as { n?: string } | undefined)?.n)),
      hmac(''),
      await signed({}),
      await embedded.sign(own.privateKey),
      `${header}.${part({ ...claims, scope: 'read:market write:orders' })}.${signature}`,
      `${header}.${part({ ...claims, aud: 'https://other.example/mcp' })}.${signature}`,
      access.slice(0, -2),
      `${access}.x`,
      'x'.repeat(5000),
      rig.daemon.token,
      rig.daemon.apikey,
    ]
    for (const [place, token] of forged.entries()) {
      expect([place, await rig.opens(token)]).toEqual([place, false])
    }
    expect(await rig.opens(access)).toBe(true)
  })

  it('is no key to the other doors of the service', async () => {
    const { access } = await rig.connect(clientId, { scope: 'read:market read:account write:orders' })
    const headers = { authorization: `Bearer ${access}` }
    for (const path of ['/status', '/admin/api/oauth/clients', '/orders/journal', '/oauth/authorize']) {
      expect([path, (await rig.send('GET', path, { headers })).status]).toEqual([path, 401])
    }
    for (const apikey of [access, access.slice(0, 64)]) {
      const { status } = await rig.send('POST', '/api/v1/funds', { body: { apikey } })
      expect([400, 403]).toContain(status)
    }
  })

  it('that was stolen opens nothing after a revocation, the kill switch, or switching off; restarts change nothing', async () => {
    const victim = await rig.client()
    const [revoked, kept] = [await rig.connect(victim), await rig.connect(clientId)]
    await rig.admin('POST', `oauth/clients/${victim}/revoke`, { confirm: true })
    expect(await rig.opens(revoked.access)).toBe(false)
    await rig.daemon.crash()
    expect([await rig.opens(revoked.access), await rig.opens(kept.access)]).toEqual([false, true])

    await rig.admin('PUT', 'mcp/settings', { http_enabled: false })
    expect(await rig.opens(kept.access)).toBe(false)
    await rig.admin('PUT', 'mcp/settings', { http_enabled: true })
    expect(await rig.opens(kept.access)).toBe(true)

    await rig.admin('POST', 'mcp/kill-switch', { confirm: 'REVOKE_ALL_MCP_TOKENS' })
    expect(await rig.opens(kept.access)).toBe(false)
    await rig.daemon.crash()
    expect(await rig.opens(kept.access)).toBe(false)
    expect(errorOf(await rig.refresh(clientId, kept.refresh))).toEqual([400, 'invalid_grant'])
  })
})

type CryptoKeyOf = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
