import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { isTotpFresh } from '../../../../src/core/identity/index.js'
import { USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk, PASSWORD, type Reply } from '../../../support/desk/http-desk.js'

const STEP = 30_000
const ON = { totp_enabled: true, totp_required_for_login: true }
const OFF = {
  totp_enabled: false,
  totp_required_for_login: false,
  totp_required_for_mcp: false,
  totp_required_for_password_reset: false,
}
const ACCOUNT = { username: USER, password: PASSWORD }

let http: HttpDesk
beforeEach(async () => {
  http = await HttpDesk.open()
})

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  http.request(method, path, { body, headers })
const codeAfter = async (steps = 0) => {
  const { secret } = await http.desk.service.identity.secondFactor.enrolment(USER)
  return generateSync({ secret, epoch: Math.floor((http.desk.clock.now() + steps * STEP) / 1000) })
}
const configure = async (token: string, flags: object, code?: string) =>
  ask('POST', '/auth/2fa/configure', { totp_code: code ?? (await codeAfter()), ...flags }, bearer(token))
const status = (token: string) => ask('GET', '/auth/2fa/status', undefined, bearer(token))
/** Asks for a code at each sign-in; returns the token of the session that said so. */
async function turnOn(): Promise<string> {
  const token = await http.signIn()
  expect((await configure(token, ON)).status).toBe(200)
  await http.desk.clock.advance(STEP)
  return token
}
const firstStep = () => ask('POST', '/auth/login', ACCOUNT)
const secondStep = (body: object, headers: Record<string, string> = {}) =>
  ask('POST', '/auth/login/totp', body, headers)
const cookiesOf = (reply: Reply) => reply.headers.getSetCookie()

describe('the settings of the second factor', () => {
  it('change with a valid code, which the session remembers', async () => {
    const token = await http.signIn()
    expect((await status(token)).body).toEqual({ status: 'success', ...OFF, last_totp_verified_at: null })
    const changed = await configure(token, { ...ON, totp_required_for_mcp: 'true' })
    const flags = { ...OFF, ...ON, totp_required_for_mcp: true }
    expect(changed.body).toEqual({ status: 'success', ...flags })
    const at = new Date(http.desk.clock.now()).toISOString()
    expect((await status(token)).body).toEqual({ status: 'success', ...flags, last_totp_verified_at: at })
    const session = http.desk.service.identity.sessions.verify(token)
    expect(session && isTotpFresh(session, http.desk.clock)).toBe(true)
    const script = await http.tokenOf('read')
    expect((await status(script)).body.last_totp_verified_at).toBeNull()
  })

  it('go off only with a code, and then no purpose stays on', async () => {
    const token = await turnOn()
    const off = { totp_required_for_login: true }
    expect((await configure(token, off, '000000')).body).toMatchObject({ message: 'Invalid TOTP code.' })
    expect((await status(token)).body).toMatchObject(ON)
    expect((await configure(token, off)).body).toEqual({ status: 'success', ...OFF })
    expect((await firstStep()).body).toMatchObject({ status: 'success' })
  })

  it.each([
    [{}, 400, 'TOTP code is required to change 2FA settings.'],
    [{ totp_code: '  ' }, 400, 'TOTP code is required to change 2FA settings.'],
    [{ totp_code: '000000' }, 401, 'Invalid TOTP code.'],
    [{ totp_code: 'abc' }, 401, 'Invalid TOTP code.'],
    [{ totp_code: 123_456 }, 400, 'totp_code: Not a valid string.'],
    [{ totp_code: '1'.repeat(33) }, 400, 'totp_code: Longer than maximum length 32.'],
    [{ totp_code: '000000', totp_enabled: 'maybe' }, 400, 'totp_enabled: Not a valid boolean.'],
    [{ totp_code: '000000', enabled: true }, 400, expect.stringContaining('enabled: Unknown field')],
  ])('%j is refused with %i', async (body, code, message) => {
    const reply = await ask('POST', '/auth/2fa/configure', body, bearer(await http.signIn()))
    expect([reply.status, reply.body.message]).toEqual([code, message])
    expect(await http.desk.service.identity.secondFactor.requires(USER, 'login')).toBe(false)
  })
})

describe('signing in with a second factor', () => {
  beforeEach(async () => {
    await turnOn()
  })

  it('takes a password, then a code; the pending token opens nothing else', async () => {
    const first = await firstStep()
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      status: 'totp_required',
      message: 'Enter the 6-digit code from your authenticator app.',
      login_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: new Date(http.desk.clock.now() + 300_000).toISOString(),
    })
    const { login_token } = first.body
    const pending = String(login_token)
    for (const headers of [bearer(pending), { cookie: `session=${pending}` }]) {
      expect((await ask('GET', '/auth/whoami', undefined, headers)).status).toBe(401)
      expect((await ask('GET', '/auth/session-status', undefined, headers)).body).toMatchObject({
        authenticated: false,
      })
    }
    const second = await secondStep({ totp_code: ` ${await codeAfter()} `, login_token })
    expect(second.body).toMatchObject({ status: 'success', username: USER })
    expect(second.body).not.toHaveProperty('broker')
    const token = String(second.body.token)
    expect(token).not.toBe(pending)
    expect((await status(token)).body.last_totp_verified_at).toBe(
      new Date(http.desk.clock.now()).toISOString(),
    )
    expect((await secondStep({ totp_code: await codeAfter(1), login_token })).body.message).toBe(
      'Login session expired. Please sign in again.',
    )
  })

  it('works in a browser by a cookie that only the second step gets', async () => {
    const [cookie = '', ...others] = cookiesOf(await firstStep())
    expect(others, 'no session yet').toEqual([])
    expect(cookie).toMatch(
      /^session_login=[\w-]{43}; Path=\/auth\/login\/totp; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    )
    const pair = cookie.split(';')[0] ?? ''
    const wrong = await secondStep({ totp_code: '000000' }, { cookie: pair })
    expect([wrong.status, wrong.body.message]).toEqual([401, 'Invalid TOTP code.'])
    const second = await secondStep({ totp_code: await codeAfter() }, { cookie: pair })
    expect(cookiesOf(second)).toEqual([
      expect.stringMatching(/^session_login=; Max-Age=0; Path=\/auth\/login\/totp$/),
      expect.stringMatching(/^session=[\w-]{43}; .*HttpOnly; SameSite=Lax$/),
    ])
  })

  it('ends the session whose cookie the browser had before', async () => {
    const { identity } = http.desk.service
    const former = await identity.sessions.create(USER, {})
    const stays = await identity.sessions.create(USER, {})
    const { login_token } = (await firstStep()).body
    const cookie = `session=${former.token}`
    await secondStep({ totp_code: await codeAfter(), login_token }, { cookie })
    expect(identity.sessions.verify(former.token)).toBeUndefined()
    expect(identity.sessions.verify(stays.token)).toBeDefined()
  })

  it('takes a form, too', async () => {
    const { login_token } = (await firstStep()).body
    const text = new URLSearchParams({ totp_code: await codeAfter(), login_token: String(login_token) })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await http.request('POST', '/auth/login/totp', { text: String(text), headers })
    expect(reply.body).toMatchObject({ status: 'success', username: USER })
  })

  it('accepts one code once, also in ten requests at the same time', async () => {
    const pending = await Promise.all(Array.from({ length: 10 }, firstStep))
    const totp_code = await codeAfter()
    const replies = await Promise.all(
      pending.map(({ body: { login_token } }) => secondStep({ totp_code, login_token })),
    )
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect(replies.filter((reply) => reply.body.message === 'Invalid TOTP code.')).toHaveLength(9)
  })

  it('refuses a step without its password, and an empty code', async () => {
    const none = await secondStep({ totp_code: await codeAfter() })
    expect([none.status, none.body.message]).toEqual([401, 'Login session expired. Please sign in again.'])
    const { login_token } = (await firstStep()).body
    const empty = await secondStep({ totp_code: '', login_token })
    expect([empty.status, empty.body.message]).toEqual([400, 'TOTP code is required.'])
    await http.desk.clock.advance(300_000)
    const late = await secondStep({ totp_code: await codeAfter(), login_token })
    expect([late.status, late.body.message]).toEqual([401, 'Login session expired. Please sign in again.'])
  })
})

const NO_MAIL_SERVER = {
  smtp_server: null,
  smtp_port: null,
  smtp_username: null,
  smtp_password: false,
  smtp_use_tls: true,
  smtp_from_email: null,
  smtp_helo_hostname: null,
}

describe('the profile', () => {
  it('shows the secret to a session, never to a token, and is never cached', async () => {
    const shown = await ask('GET', '/auth/profile-data', undefined, bearer(await http.signIn()))
    expect(shown.headers.get('cache-control')).toBe('no-store')
    const { totp_secret: secret, ...rest } = Object(shown.body.data)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(rest).toEqual({
      username: USER,
      smtp_settings: NO_MAIL_SERVER,
      qr_code: expect.stringMatching(/^iVBORw0KGgo[\w+/]+=*$/),
      provisioning_uri: `otpauth://totp/svc:asha%40example.org?secret=${secret}&issuer=svc`,
    })
    for (const scope of ['read', 'admin'] as const) {
      const hidden = await ask('GET', '/auth/profile-data', undefined, bearer(await http.tokenOf(scope)))
      expect(hidden.body.data).toEqual({
        username: USER,
        smtp_settings: NO_MAIL_SERVER,
        qr_code: null,
        totp_secret: null,
        provisioning_uri: null,
      })
      expect(hidden.text).not.toContain(secret)
    }
  })
})

describe('the secret of the second factor', () => {
  const rotate = (token: string, body: object) => ask('POST', '/auth/2fa/rotate', body, bearer(token))
  const confirm = (token: string, totp_code: string) =>
    ask('POST', '/auth/2fa/rotate/confirm', { totp_code }, bearer(token))

  it('is replaced in two steps, which leave their acts without it', async () => {
    const { audit, identity } = http.desk.service
    const token = await turnOn()
    const other = await identity.sessions.create(USER, {})
    const drawn = await rotate(token, { password: PASSWORD, totp_code: await codeAfter() })
    expect(drawn.headers.get('cache-control')).toBe('no-store')
    const secret = String(drawn.body.totp_secret)
    expect(drawn.body).toEqual({
      status: 'success',
      totp_secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      provisioning_uri: `otpauth://totp/svc:asha%40example.org?secret=${secret}&issuer=svc`,
      expires_at: new Date(http.desk.clock.now() + 600_000).toISOString(),
    })
    const wrong = await confirm(token, '000000')
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_totp'])
    const code = generateSync({ secret, epoch: Math.floor(http.desk.clock.now() / 1000) })
    expect((await confirm(token, code)).body).toEqual({
      status: 'success',
      message: 'The secret is replaced, and all other sessions have ended.',
    })
    expect(await identity.secondFactor.enrolment(USER)).toMatchObject({ secret })
    expect(identity.sessions.verify(other.token)).toBeUndefined()
    await audit.flush()
    const acts = (await audit.list({ limit: 20 })).filter(({ act }) => /^totp\.(draw|rotate)$/.test(act))
    expect(acts.map(({ act, outcome, actor }) => [act, outcome, actor]).reverse()).toEqual([
      ['totp.draw', 'done', USER],
      ['totp.rotate', 'refused', USER],
      ['totp.rotate', 'done', USER],
    ])
    expect(JSON.stringify(acts)).not.toContain(secret)
  })

  it('is not replaced by a personal access token', async () => {
    const script = await http.tokenOf('admin')
    for (const reply of [await rotate(script, { password: PASSWORD }), await confirm(script, '000000')]) {
      expect([reply.status, reply.code]).toEqual([403, 'forbidden'])
    }
  })
})

test('a sign-in connects a broker that was not connected with its stored session', async () => {
  const admin = bearer(await http.tokenOf('admin'))
  await ask('POST', '/broker/login', { fields: {} }, admin)
  const { home } = http.desk
  await http.desk.close()
  const file = join(home, 'brokers/simulated/exchange.db')
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  mkdirSync(file)
  http = await HttpDesk.open({ home })
  const { brokers, identity } = http.desk.service
  const failed = await firstStep()
  expect([failed.status, failed.body.broker, brokers.connected()]).toEqual([200, undefined, false])
  rmSync(file, { recursive: true })
  const resumed = await firstStep()
  expect(resumed.body).toMatchObject({ message: 'Broker session resumed', broker: 'simulated' })
  expect([brokers.connected(), brokers.refusal]).toEqual([true, undefined])
  expect((await firstStep()).body).not.toHaveProperty('broker')
  await identity.flush()
  const types = (await identity.attempts.list()).map(({ login_type, broker }) => [login_type, broker])
  expect(types.slice(0, 3)).toEqual([
    ['password', null],
    ['resume', 'simulated'],
    ['password', null],
  ])
})
