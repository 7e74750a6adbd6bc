import { generateSync } from 'otplib'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { ALL_OPERATION_LIST } from '../../src/daemon/operations/all.js'
import { asleep } from '../support/asleep.js'
import { USER } from '../support/desk/desk.js'
import { bearer, HttpDesk, PASSWORD } from '../support/desk/http-desk.js'

const NEW = 'New-Horse-2!'
/** Requests to change how the owner signs in, without the proof that each needs besides the session. */
const CHANGES: readonly (readonly [path: string, body: object])[] = [
  ['/auth/change-password', { new_password: NEW, confirm_password: NEW }],
  ['/auth/change-password', { old_password: '', new_password: NEW, confirm_password: NEW }],
  ['/auth/change-password', { old_password: 'Wrong-Horse-1!', new_password: NEW, confirm_password: NEW }],
  ['/auth/change', { new_password: NEW }],
  ['/auth/change', { current_password: 'Wrong-Horse-1!', new_password: NEW }],
  ['/auth/2fa/configure', { totp_enabled: true, totp_required_for_login: true }],
  ['/auth/2fa/configure', { totp_code: '', totp_enabled: true, totp_required_for_login: true }],
  ['/auth/2fa/configure', { totp_code: '000000', totp_enabled: true, totp_required_for_login: true }],
  ['/auth/2fa/rotate', { totp_code: '000000' }],
  ['/auth/2fa/rotate', { password: 'Wrong-Horse-1!', totp_code: '000000' }],
  ['/auth/2fa/rotate/confirm', { totp_code: '000000' }],
]

test('a session alone changes neither the password nor the second factor', async () => {
  const http = await HttpDesk.open()
  const { users, secondFactor } = http.desk.service.identity
  const before = await secondFactor.settings(USER)
  const session = await http.signIn()
  for (const credential of [session, await http.tokenOf('admin')]) {
    for (const [path, body] of CHANGES) {
      const { status } = await http.request('POST', path, { body, headers: bearer(credential) })
      expect([path, body, status >= 400 && status < 500]).toEqual([path, body, true])
    }
  }
  expect(await users.verifyPassword(USER, PASSWORD)).toMatchObject({ username: USER })
  expect(await users.verifyPassword(USER, NEW)).toBeUndefined()
  expect(await secondFactor.settings(USER)).toEqual(before)
  expect((await http.request('GET', '/status', { headers: bearer(session) })).status).toBe(200)
})

const MINUTE = 60_000
const REQUIRED = 'reauthentication_required'

interface DangerousCall {
  method: string
  path: string
  body?: object
}
const call = (method: string, path: string, body?: object): DangerousCall => ({
  method,
  path,
  ...(body && { body }),
})
const CONTRACT = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }
const smtp = { smtp_server: 'mail.example', smtp_password: 'hunter2hunter2' }

/** Every dangerous request of a session, by its row of the table of operations. */
const DANGEROUS: Readonly<Record<string, readonly DangerousCall[]>> = {
  'GET /apikey': [call('GET', '/apikey')],
  'POST /apikey': [call('POST', '/apikey', { user_id: USER })],
  'GET /api/websocket/apikey': [call('GET', '/api/websocket/apikey')],
  // Their messages hold the API key.
  'POST /tradingview': [call('POST', '/tradingview', CONTRACT)],
  'POST /gocharting': [call('POST', '/gocharting', { ...CONTRACT, action: 'BUY', quantity: 1 })],
  'GET /auth/profile-data': [call('GET', '/auth/profile-data')],
  'POST /auth/smtp-config': [call('POST', '/auth/smtp-config', smtp)],
  'POST /auth/tokens': ['orders', 'approvals', 'flows', 'strategies', 'settings', 'admin'].map((scope) =>
    call('POST', '/auth/tokens', { name: scope, scopes: ['read', scope] }),
  ),
  'POST /admin/api/oauth/clients/:client_id/approve': [
    call('POST', '/admin/api/oauth/clients/nobody/approve'),
  ],
  'PUT /admin/api/mcp/settings': [
    // Access stays off: it needs an address, and loses it again.
    { http_enabled: true },
    { public_url: 'https://desk.example' },
    { public_url: '' },
    { require_approval: false },
    { write_scope_enabled: true },
    { queue_writes: false },
  ].map((body) => call('PUT', '/admin/api/mcp/settings', body)),
  // The proof is asked for before the client is looked up.
  'POST /oauth/authorize': [call('POST', '/oauth/authorize', { client_id: 'nobody', decision: 'approve' })],
  'POST /broker/login': [call('POST', '/broker/login', { fields: {} })],
  'POST /broker/login/begin': [call('POST', '/broker/login/begin', { fields: {} })],
  'POST /broker/use': [call('POST', '/broker/use', { broker: 'simulated' })],
  'POST /messages/link': [call('POST', '/messages/link')],
  'PUT /messages/channels/telegram': [call('PUT', '/messages/channels/telegram', { polling_mode: true })],
  'PUT /messages/channels/whatsapp': [call('PUT', '/messages/channels/whatsapp', { template: 'svc_alert' })],
  'PUT /messages/contacts/:channel': [call('PUT', '/messages/contacts/email', { address: 'a@example.org' })],
  'POST /risk/kill-switch': [call('POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' })],
  // The proof is asked for before the strategy is looked up.
  'POST /strategy/api/strategies/:id/live': [
    call('POST', '/strategy/api/strategies/9/live', { enabled: true }),
  ],
  'POST /settings/analyze-mode/:mode': [call('POST', '/settings/analyze-mode/0')],
}
const ALL_DANGEROUS = Object.values(DANGEROUS).flat()

/** A member with a whole API key, in the schema of an answer. */
const KEY_MEMBER = /"api_?key":\{/
const AS_SENT = { io: 'output', unrepresentable: 'any' } as const

/** The rows whose requests have a proof of their own. */
const PROVEN_BY_REQUEST = [
  'POST /auth/2fa/configure',
  'POST /auth/2fa/rotate',
  'POST /auth/2fa/rotate/confirm',
  'POST /auth/change',
  'POST /auth/change-password',
  'POST /auth/reauthenticate',
]

/** The safe direction of the rows that have one. */
const SAFE: readonly DangerousCall[] = [
  ...[
    { http_enabled: false },
    { require_approval: true },
    { write_scope_enabled: false },
    { queue_writes: true },
  ].map((body) => call('PUT', '/admin/api/mcp/settings', body)),
  call('POST', '/admin/api/oauth/clients/nobody/revoke', { confirm: true }),
  call('POST', '/admin/api/mcp/kill-switch', { confirm: 'REVOKE_ALL_MCP_TOKENS' }),
  call('POST', '/auth/tokens', { name: 'reader', scopes: ['read'] }),
  call('POST', '/risk/kill-switch', { on: true, reason: 'stop' }),
  call('POST', '/settings/analyze-mode/1'),
  call('POST', '/strategy/api/strategies/9/live', { enabled: false }),
]

/** Returns the newest rows of the audit trail, the newest first. */
async function latestActs({ desk }: HttpDesk, limit: number) {
  const { audit } = desk.service
  await audit.flush()
  return audit.list({ limit })
}

describe('dangerous acts of a session', () => {
  const outcomes = async (http: HttpDesk, token: string, calls: readonly DangerousCall[]) => {
    const asked: [call: DangerousCall, isAsked: boolean][] = []
    for (const one of calls) {
      const { code, status } = await http.request(one.method, one.path, {
        body: one.body,
        headers: bearer(token),
      })
      expect([one, status !== 401 && code !== 'validation']).toEqual([one, true])
      asked.push([one, code === REQUIRED])
    }
    return asked
  }
  const all = (calls: readonly DangerousCall[], isAsked: boolean) => calls.map((one) => [one, isAsked])
  const prove = (http: HttpDesk, token: string, body: object = { password: PASSWORD }) =>
    http.request('POST', '/auth/reauthenticate', { body, headers: bearer(token) })

  it('are the rows of this table, and no others', () => {
    const rows = ALL_OPERATION_LIST.filter(({ fresh }) => fresh !== undefined)
    const asking = rows.filter(({ fresh }) => fresh !== 'in the request').map(({ name }) => name)
    expect(asking.sort()).toEqual(Object.keys(DANGEROUS).sort())
    const others = rows.filter(({ fresh }) => fresh === 'in the request').map(({ name }) => name)
    expect(others.sort()).toEqual(PROVEN_BY_REQUEST)
    expect(rows.every(({ auth }) => auth === 'session')).toBe(true)
  })

  it('are all that answer with an API key', () => {
    const shown = ALL_OPERATION_LIST.filter(({ auth }) => auth === 'session').filter(({ answers }) =>
      Object.values(answers).some((answer) =>
        KEY_MEMBER.test(JSON.stringify(z.toJSONSchema(answer, AS_SENT))),
      ),
    )
    expect(shown.map(({ name }) => name).sort()).toEqual([
      'GET /api/websocket/apikey',
      'GET /apikey',
      'POST /apikey',
      'POST /gocharting',
      'POST /tradingview',
    ])
    expect(shown.map(({ fresh, name }) => [name, fresh])).toEqual(shown.map(({ name }) => [name, true]))
  })

  it('pass for 15 minutes after the sign-in, to the millisecond, and again after the password', async () => {
    const http = await HttpDesk.open()
    const token = await http.signIn()
    const wait = (ms: number) => http.desk.clock.advance(ms)
    await wait(15 * MINUTE)
    expect(await outcomes(http, token, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, false))
    await wait(1)
    expect(await outcomes(http, token, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, true))
    expect(await outcomes(http, token, SAFE)).toEqual(all(SAFE, false))
    const until = new Date(http.desk.clock.now() + 15 * MINUTE).toISOString()
    expect((await prove(http, token)).body).toMatchObject({ status: 'success', fresh_until: until })
    await wait(15 * MINUTE)
    expect(await outcomes(http, token, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, false))
    await wait(1)
    expect(await outcomes(http, token, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, true))
  })

  it('are refused with a text that names the ways to go on, change nothing, and leave a row', async () => {
    const http = await HttpDesk.open()
    const token = await http.signIn()
    await outcomes(http, token, SAFE)
    await http.desk.clock.advance(15 * MINUTE + 1)
    for (const [method, path, body] of [
      ['POST', '/settings/analyze-mode/0', undefined],
      ['POST', '/risk/kill-switch', { on: false, confirm: 'RESUME' }],
    ] as const) {
      const {
        body: answer,
        code,
        status,
      } = await http.request(method, path, { body, headers: bearer(token) })
      expect([status, code]).toEqual([403, REQUIRED])
      expect(answer).toMatchObject({
        status: 'error',
        message: expect.stringMatching(/15 minutes ago: give it again, or sign in again/),
      })
    }
    expect(http.desk.service.mode()).toBe('analyze')
    expect(http.desk.service.risk.killSwitch.on).toBe(true)
    const rows = await latestActs(http, 2)
    expect(rows.map(({ act, outcome, code }) => [act, outcome, code]).sort()).toEqual([
      ['kill_switch.set', 'refused', REQUIRED],
      ['mode.set', 'refused', REQUIRED],
    ])
  })

  it('ask no token and no other session: each proves for itself', async () => {
    const http = await HttpDesk.open()
    const [one, other] = [await http.signIn(), await http.signIn()]
    const token = await http.tokenOf('admin')
    await http.desk.clock.advance(16 * MINUTE)
    expect(await outcomes(http, token, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, false))
    expect((await prove(http, token)).code).toBe('forbidden')
    await prove(http, one)
    expect(await outcomes(http, one, [call('GET', '/apikey')])).toEqual(all([call('GET', '/apikey')], false))
    expect(await outcomes(http, other, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, true))
  })

  it('never ask with REAUTH_MINUTES=0, and sooner with a smaller number', async () => {
    const off = await HttpDesk.open({ env: { REAUTH_MINUTES: '0' } })
    const calm = await off.signIn()
    await asleep(off.desk.clock, 8 * 60 * MINUTE)
    expect(await outcomes(off, calm, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, false))
    expect((await prove(off, calm)).body).toMatchObject({ fresh_until: null })
    const short = await HttpDesk.open({ env: { REAUTH_MINUTES: '1' } })
    const token = await short.signIn()
    await short.desk.clock.advance(MINUTE + 1)
    expect(await outcomes(short, token, ALL_DANGEROUS)).toEqual(all(ALL_DANGEROUS, true))
  })

  it('need the code too, if sign-ins need one, and a wrong proof counts like a wrong sign-in', async () => {
    const http = await HttpDesk.open()
    const { attempts, secondFactor } = http.desk.service.identity
    const { secret } = await secondFactor.enrolment(USER)
    const code = () => generateSync({ secret, epoch: Math.floor(http.desk.clock.now() / 1000) })
    const token = await http.signIn()
    const settings = { enabled: true, login: true, mcp: false, passwordReset: false }
    await secondFactor.configure({ username: USER, code: code() }, settings)
    await http.desk.clock.advance(16 * MINUTE)
    const isAsked = async () => (await outcomes(http, token, [call('GET', '/apikey')]))[0]?.[1]
    const password = PASSWORD
    for (const [body, status, error] of [
      [{ password }, 400, undefined],
      [{ password: 'Wrong-Horse-1!', totp_code: code() }, 401, 'invalid_password'],
      [{ password, totp_code: '000000' }, 401, 'invalid_totp'],
    ] as const) {
      const reply = await prove(http, token, body)
      expect([reply.status, reply.body.error]).toEqual([status, error])
      expect(await isAsked()).toBe(true)
    }
    const failed = await attempts.list({ status: 'failed' })
    expect(failed.map(({ failure_reason: reason }) => reason)).toEqual([
      'invalid_totp',
      'wrong_current_password',
    ])
    expect((await prove(http, token, { password, totp_code: code() })).status).toBe(200)
    expect(await isAsked()).toBe(false)
    const rows = await latestActs(http, 3)
    expect(rows.map(({ act, outcome, actor }) => [act, outcome, actor])).toEqual([
      ['session.prove', 'done', USER],
      ['session.prove', 'refused', USER],
      ['session.prove', 'refused', USER],
    ])
    expect(JSON.stringify(rows)).not.toContain(PASSWORD)
  })
})
