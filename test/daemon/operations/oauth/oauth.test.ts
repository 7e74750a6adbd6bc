import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { type OAuthRig, oauthRig } from '../../../support/oauth/oauth-rig.js'
import { CALLBACK, PUBLIC_URL } from '../../../support/oauth/parties.js'

let rig: OAuthRig
beforeEach(async () => {
  rig = await oauthRig()
})

describe('an assistant', () => {
  it('registers, gets the consent of the owner, and tokens for what was granted', async () => {
    const registered = await rig.register({ scope: 'read:market read:account' })
    expect(registered.status).toBe(201)
    expect(registered.headers.get('cache-control')).toBe('no-store')
    expect(registered.body).toEqual({
      client_id: expect.stringMatching(/^[\w-]{32}$/),
      client_id_issued_at: Math.floor(rig.clock.now() / 1000),
      client_name: 'Desk assistant',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'read:market read:account',
    })
    const clientId = String(registered.body.client_id)
    const answer = await rig.approve(rig.asking(clientId))
    const back = new URL(String(answer.body.redirect_to))
    expect(back.origin + back.pathname).toBe(CALLBACK)
    expect(back.searchParams.get('state')).toBe('st-1')
    expect(back.searchParams.get('iss')).toBe(PUBLIC_URL)
    const given = await rig.redeem(clientId, rig.codeIn(answer))
    expect(given.status).toBe(200)
    expect(given.headers.get('cache-control')).toBe('no-store')
    expect(given.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      scope: 'read:market',
    })
    const { access } = rig.tokensOf(given)
    expect(decodeProtectedHeader(access)).toEqual({
      alg: 'RS256',
      typ: 'at+jwt',
      kid: expect.stringMatching(/^[0-9a-f]{16}$/),
    })
    const now = Math.floor(rig.clock.now() / 1000)
    expect(decodeJwt(access)).toEqual({
      iss: PUBLIC_URL,
      aud: `${PUBLIC_URL}/mcp`,
      sub: '1',
      iat: now,
      exp: now + 900,
      jti: expect.any(String),
      client_id: clientId,
      scope: 'read:market',
    })
    expect(await rig.mcp.verify(access)).toMatchObject({
      clientId,
      clientName: 'Desk assistant',
      userId: 1,
      username: 'asha',
      scopes: new Set(['read:market']),
    })
  })

  it('gets new tokens by its refresh token, for the same user and never for more', async () => {
    const clientId = await rig.client()
    const first = await rig.connect(clientId, { scope: 'read:market read:account' })
    const narrow = await rig.refresh(clientId, first.refresh, { scope: 'read:market' })
    expect(narrow.body.scope).toBe('read:market')
    const second = rig.tokensOf(narrow)
    expect(decodeJwt(second.access)).toMatchObject({ sub: '1', client_id: clientId, scope: 'read:market' })
    const wide = await rig.refresh(clientId, second.refresh)
    expect(wide.body.scope).toBe('read:market read:account')
    const more = await rig.refresh(clientId, rig.tokensOf(wide).refresh, {
      scope: 'read:market write:orders',
    })
    expect(more.body).toMatchObject({ error: 'invalid_scope' })
    expect((await rig.refresh(clientId, rig.tokensOf(wide).refresh)).status).toBe(200)
  })

  it('takes a free port of this machine each time, and no other path or host', async () => {
    const { body } = await rig.register({
      redirect_uris: ['http://localhost:54212/callback', 'http://[::1]:1/cb?x=1'],
    })
    const clientId = String(body.client_id)
    const answered = async (redirect_uri: string) =>
      (await rig.approve(rig.asking(clientId, { redirect_uri }))).status
    for (const uri of [
      'http://localhost:61933/callback',
      'http://localhost/callback',
      'http://[::1]:7/cb?x=1',
    ]) {
      expect([uri, await answered(uri)]).toEqual([uri, 200])
    }
    for (const uri of [
      ...['http://localhost:61933/other', 'http://127.0.0.1:61933/callback', 'http://[::1]:7/cb?x=2'],
      ...['http://localhost:61933@evil.example/callback', 'https://localhost:61933/callback'],
      ...['http://localhost.evil.example:61933/callback', 'http://localhost:x/callback'],
    ]) {
      expect([uri, await answered(uri)]).toEqual([uri, 400])
    }
  })

  it('registers as the assistants of today do', async () => {
    const editor = await rig.register({ redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'] })
    expect(editor.body.redirect_uris).toEqual(['cursor://anysphere.cursor-mcp/oauth/callback'])
    const six = [
      ...['https://insiders.vscode.dev/redirect', 'https://vscode.dev/redirect', 'http://localhost/'],
      ...['http://127.0.0.1/', 'http://localhost:33418/', 'http://127.0.0.1:33418/'],
    ]
    expect((await rig.register({ redirect_uris: six })).body.redirect_uris).toEqual(six)
    const unnamed = await rig.register({ client_name: undefined, scope: 'openid offline_access read:market' })
    expect(unnamed.body).toMatchObject({ client_name: 'Unnamed client', scope: 'read:market' })
    expect((await rig.register({ scope: 'openid' })).body.scope).toContain('read:market')
    const clientId = await rig.client()
    const code = await rig.codeFor(clientId, { scope: 'read:market offline_access admin' })
    expect((await rig.redeem(clientId, code)).body.scope).toBe('read:market')
  })

  it('whose two windows refresh together gets the same successor for half a minute', async () => {
    const clientId = await rig.client()
    const first = await rig.connect(clientId)
    const replies = await Promise.all([1, 2].map(() => rig.refresh(clientId, first.refresh)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    const [one, other] = replies.map((reply) => rig.tokensOf(reply))
    expect(one?.refresh).toBe(other?.refresh)
    await rig.clock.advance(30_000)
    const late = await rig.refresh(clientId, first.refresh)
    expect([late.status, rig.tokensOf(late).refresh]).toEqual([200, one?.refresh])
    await rig.clock.advance(1)
    expect((await rig.refresh(clientId, first.refresh)).body.error).toBe('invalid_grant')
    expect(await rig.opens(one?.access ?? '')).toBe(false)
  })

  it.each([
    ['back', -3_600_000],
    ['ahead', 3_600_000],
  ])('whose two windows refresh together is no thief when the clock steps %s', async (_where, step) => {
    const clientId = await rig.client()
    const first = await rig.connect(clientId)
    const one = rig.tokensOf(await rig.refresh(clientId, first.refresh))
    rig.clock.step(step)
    const other = await rig.refresh(clientId, first.refresh)
    expect([other.status, rig.tokensOf(other).refresh]).toEqual([200, one.refresh])
    // Nor does a step make a late one a twin.
    await rig.clock.advance(30_001)
    rig.clock.step(-step - 20_000)
    expect((await rig.refresh(clientId, first.refresh)).body.error).toBe('invalid_grant')
  })

  it('cannot register an address whose host ends the policy of the page, or a scheme that the system handles', async () => {
    for (const uri of [
      ...['https://evil.example;sandbox/cb', 'https://a,b/cb', 'https://*/cb', "https://'none'/cb"],
      ...['ms-msdt:/id', 'ms-word://x/y', 'microsoft-edge://evil.example/', 'googlechrome://evil.example/'],
    ]) {
      expect([uri, (await rig.register({ redirect_uris: [uri] })).status]).toEqual([uri, 400])
    }
    const { body } = await rig.register({
      redirect_uris: ['https://my_host-1.example:8443/cb', 'http://[::1]/cb'],
    })
    expect(body.redirect_uris).toHaveLength(2)
  })

  it('with a secret sends it in the header or in the body, and is refused without it', async () => {
    const { body } = await rig.register({ token_endpoint_auth_method: 'client_secret_basic' })
    const [clientId, secret] = [String(body.client_id), String(body.client_secret)]
    expect(secret).toMatch(/^[\w-]{43}$/)
    const basic = (text: string) => ({
      authorization: `Basic ${Buffer.from(`${clientId}:${text}`).toString('base64')}`,
    })
    const redeem = async (more: Record<string, string>, headers: Record<string, string> = {}) => {
      const code = await rig.codeFor(clientId)
      const fields = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: 'v'.repeat(64),
      }
      return rig.form('/oauth/token', { ...fields, ...more }, headers)
    }
    expect((await redeem({}, basic(secret))).status).toBe(200)
    expect((await redeem({ client_id: clientId, client_secret: secret })).status).toBe(200)
    const refused = await redeem({}, basic('x'))
    expect([refused.status, refused.body.error, refused.body.error_description]).toEqual([
      401,
      'invalid_client',
      'invalid client credentials',
    ])
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="svc-mcp"')
    expect((await redeem({ client_id: clientId })).status).toBe(401)
    expect((await redeem({ client_secret: secret }, basic(secret))).body.error).toBe('invalid_request')
    const open = await rig.client()
    const told = await rig.refresh(open, 'x'.repeat(43), { client_secret: 'guess' })
    expect(told.body.error_description).toBe('this client must not present a secret')
  })

  it('gives its access back with either token, at once', async () => {
    const clientId = await rig.client()
    for (const kind of ['access', 'refresh'] as const) {
      const tokens = await rig.connect(clientId)
      const answer = await rig.revoke(clientId, tokens[kind])
      expect([answer.status, answer.text]).toEqual([200, ''])
      expect(await rig.opens(tokens.access)).toBe(false)
      expect((await rig.refresh(clientId, tokens.refresh)).body.error).toBe('invalid_grant')
    }
    expect((await rig.revoke(clientId, 'unknown')).status).toBe(200)
  })

  it('cannot give back the access of another', async () => {
    const [mine, other] = [await rig.client(), await rig.client()]
    const tokens = await rig.connect(other)
    expect((await rig.revoke(mine, tokens.access)).status).toBe(200)
    expect((await rig.revoke(mine, tokens.refresh)).status).toBe(200)
    expect(await rig.opens(tokens.access)).toBe(true)
  })

  it('without a wish gets no right to write: whoever wants to write has to say so', async () => {
    const clientId = await rig.client()
    const { scope: _, ...silent } = rig.asking(clientId)
    const question = await rig.ask(silent)
    expect(question.body).toMatchObject({ writes: false })
    expect(question.body.scopes).toEqual([
      { scope: 'read:market', meaning: expect.any(String) },
      { scope: 'read:account', meaning: expect.any(String) },
    ])
  })
})

describe('the description of the endpoints', () => {
  it('is at every address where clients look', async () => {
    for (const path of ['oauth-authorization-server', 'oauth-authorization-server/mcp']) {
      const { body, status } = await rig.http.request('GET', `/.well-known/${path}`)
      expect([path, status, body.issuer]).toEqual([path, 200, PUBLIC_URL])
      expect(body).toMatchObject({
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        registration_endpoint: `${PUBLIC_URL}/oauth/register`,
      })
    }
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/mcp/.well-known/oauth-protected-resource',
    ]) {
      const { body } = await rig.http.request('GET', path)
      expect([path, body.resource, body.authorization_servers]).toEqual([
        path,
        `${PUBLIC_URL}/mcp`,
        [PUBLIC_URL],
      ])
    }
  })

  it('names no right to write while nobody can have it', async () => {
    await rig.mcp.changeSettings({ writeScopeEnabled: false })
    const { body } = await rig.http.request('GET', '/.well-known/oauth-protected-resource')
    expect(body.scopes_supported).toEqual(['read:market', 'read:account'])
  })

  it('does not exist while remote access is off, and neither does any endpoint', async () => {
    const clientId = await rig.client()
    const { access, refresh } = await rig.connect(clientId)
    await rig.mcp.changeSettings({ enabled: false })
    const replies = [
      await rig.http.request('GET', '/.well-known/oauth-authorization-server'),
      await rig.http.request('GET', '/.well-known/oauth-protected-resource'),
      await rig.http.request('GET', '/oauth/jwks.json'),
      await rig.register(),
      await rig.ask(rig.asking(clientId)),
      await rig.refresh(clientId, refresh),
      await rig.revoke(clientId, refresh),
    ]
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404))
    expect(await rig.opens(access)).toBe(false)
  })
})

describe('the keys that sign', () => {
  it('are published without a private part; an old one checks its tokens until they end', async () => {
    const clientId = await rig.client()
    const { access } = await rig.connect(clientId)
    const kid = await rig.mcp.keys.rotate()
    const keys = async () => (await rig.http.request('GET', '/oauth/jwks.json')).body.keys
    expect(await keys()).toEqual([
      { kty: 'RSA', use: 'sig', alg: 'RS256', kid, n: expect.any(String), e: 'AQAB' },
      {
        kty: 'RSA',
        use: 'sig',
        alg: 'RS256',
        kid: decodeProtectedHeader(access).kid,
        n: expect.any(String),
        e: 'AQAB',
      },
    ])
    expect(await rig.opens(access)).toBe(true)
    rig.clock.suspend(3_600_001)
    expect(await keys()).toHaveLength(1)
  })
})
