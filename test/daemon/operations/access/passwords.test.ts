import { once } from 'node:events'
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { istStamp } from '../../../../src/core/time/index.js'
import { USER } from '../../../support/desk/desk.js'
import { bearer, HttpDesk, PASSWORD, type Reply } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'
import {
  linkIn,
  MAIL_PASSWORD,
  MAIL_USER,
  mailServer,
  type TestMailServer,
  TRUSTED,
} from '../../../support/mail/mail-server.js'
import { oauthRigOf } from '../../../support/oauth/oauth-rig.js'

const EMAIL = 'asha@example.org'
const NEW = 'New-Horse-2!'

const post = (http: HttpDesk, path: string, body: unknown, headers = {}) =>
  http.request('POST', path, { body, headers })
const step = (http: HttpDesk, name: string, fields: object = {}) =>
  post(http, '/auth/reset-password', { step: name, email: EMAIL, ...fields })
const tokenOf = (link: string) => link.split('/').at(-1) ?? ''

async function deskWithMail(
  env: Record<string, string> = { HOST_SERVER: 'https://desk.example' },
): Promise<{ http: HttpDesk; mail: TestMailServer }> {
  const mail = await mailServer()
  const http = await HttpDesk.open({ mailCa: TRUSTED, env })
  await http.desk.service.settings.update({
    smtpServer: '127.0.0.1',
    smtpPort: mail.port,
    smtpUsername: MAIL_USER,
    smtpPassword: MAIL_PASSWORD,
    smtpFromEmail: 'desk@example.org',
  })
  return { http, mail }
}

async function mailedLink(http: HttpDesk, mail: TestMailServer): Promise<string> {
  const before = mail.received.length
  expect((await step(http, 'select_email')).status).toBe(200)
  await eventually(() => mail.received.length > before)
  const received = mail.received.at(-1)
  expect(received?.to).toEqual([EMAIL])
  return linkIn(received ?? { text: '' })
}

/** Opens an event stream and returns everything it receives, with the code that closes it. */
async function listener(http: HttpDesk, token: string) {
  const { port } = await http.listen()
  const socket = new WebSocket(`ws://127.0.0.1:${port}/events`, { headers: bearer(token) })
  const events: { event?: string; data?: unknown }[] = []
  socket.on('message', (text) => events.push(JSON.parse(String(text))))
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await eventually(() => events.length > 0)
  return { events, closed }
}

test.each([
  [
    '/auth/change-password',
    { old_password: PASSWORD, new_password: NEW, confirm_password: NEW },
    'Password changed successfully',
  ],
  [
    '/auth/change',
    { current_password: PASSWORD, new_password: NEW },
    'Your password has been changed successfully.',
  ],
])(
  '%s changes the password, as JSON and as a form, and ends every session and its sockets',
  async (path, body, message) => {
    for (const isForm of [false, true]) {
      const http = await HttpDesk.open()
      const [own, other] = [await http.signIn(), await http.signIn()]
      const { events, closed } = await listener(http, other)
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const reply = isForm
        ? await http.request('POST', path, {
            text: String(new URLSearchParams(body)),
            headers: { ...bearer(own), ...form },
          })
        : await post(http, path, body, bearer(own))
      expect([reply.status, reply.body]).toEqual([200, { status: 'success', message }])
      expect(reply.headers.get('set-cookie')).toMatch(/Max-Age=0/)
      expect(await closed).toBe(4401)
      expect(events.at(-1)).toMatchObject({
        event: 'force_logout',
        data: { message: 'Your password was changed. Please log in again with the new password.' },
      })
      for (const token of [own, other]) {
        expect((await http.request('GET', '/auth/whoami', { headers: bearer(token) })).status).toBe(401)
      }
      const signIn = (password: string) => post(http, '/auth/login', { username: USER, password })
      expect([(await signIn(PASSWORD)).status, (await signIn(NEW)).status]).toEqual([401, 200])
    }
  },
)

test.each([
  ['/auth/change-password', {}, 'All fields are required'],
  ['/auth/change-password', { old_password: PASSWORD, new_password: NEW }, 'All fields are required'],
  [
    '/auth/change-password',
    { old_password: 'x', new_password: NEW, confirm_password: 'y' },
    'Current password is incorrect',
  ],
  [
    '/auth/change-password',
    { old_password: PASSWORD, new_password: NEW, confirm_password: 'y' },
    'New passwords do not match',
  ],
  [
    '/auth/change-password',
    { old_password: PASSWORD, new_password: 'x', confirm_password: 'x' },
    'Password must be at least 8 characters long',
  ],
  ['/auth/change', { old_password: 'x', new_password: NEW }, 'Current password is incorrect.'],
  [
    '/auth/change',
    { old_password: PASSWORD, new_password: NEW, confirm_password: 'y' },
    'New password and confirm password do not match.',
  ],
])('%s refuses %j: %s', async (path, body, message) => {
  const http = await HttpDesk.open()
  const token = await http.signIn()
  const reply = await post(http, path, body, bearer(token))
  expect([reply.status, reply.code, reply.body.message]).toEqual([400, 'validation', message])
  expect((await http.request('GET', '/auth/whoami', { headers: bearer(token) })).status).toBe(200)
})

test('a link resets the password once, in a browser that has nothing of the first', async () => {
  const { http, mail } = await deskWithMail({ HOST_SERVER: 'https://desk.example/' })
  const session = await http.signIn()
  const { events, closed } = await listener(http, session)
  const link = await mailedLink(http, mail)
  expect(link).toMatch(/^https:\/\/desk\.example\/auth\/reset-password-email\/[\w-]{43}$/)
  const token = tokenOf(link)
  // Mail filters open links too: that uses nothing up.
  for (let opens = 0; opens < 3; opens++) {
    const opened = await http.request('GET', new URL(link).pathname)
    expect(opened.status).toBe(302)
    const location = new URL(opened.headers.get('location') ?? '', 'http://x')
    expect(location.pathname).toBe('/reset-password')
    expect(Object.fromEntries(location.searchParams)).toEqual({ token, email: EMAIL, verified: 'true' })
  }
  const page = await http.request('GET', '/reset-password')
  expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])
  const reset = await step(http, 'password', { token, password: NEW })
  expect([reset.status, reset.body.message]).toEqual([200, 'Your password has been reset successfully.'])
  expect(await closed).toBe(4401)
  expect(events.at(-1)).toMatchObject({
    event: 'force_logout',
    data: { message: 'Your password was reset. Please log in again with the new password.' },
  })
  expect((await step(http, 'password', { token, password: 'Third-Horse-3!' })).body.message).toBe(
    'Invalid or expired reset token.',
  )
  const opened = await http.request('GET', new URL(link).pathname)
  expect(opened.headers.get('location')).toBe('/reset-password?error=expired_link')
  const incomplete = await http.request('GET', '/auth/reset-password-email/short')
  expect(incomplete.headers.get('location')).toBe('/reset-password?error=invalid_link')
  await eventually(() =>
    mail.received.some(({ headers }) => headers.includes('Subject: Your svc password was reset')),
  )
})

test('a reset ends what a thief of the password may have let in, and its mail names what still opens the account', async () => {
  const { http, mail } = await deskWithMail()
  const { audit, clock, identity, messages } = http.desk.service
  const rig = await oauthRigOf(http, await http.signIn())
  const clientId = await rig.client()
  const { access, refresh } = await rig.connect(clientId)
  const consented = await rig.codeFor(clientId)
  const { code: chatCode } = messages.codes.create(USER)
  await messages.contacts.link({ userId: USER, channel: 'telegram', address: '4711' })
  const { id } = await identity.tokens.create(USER, { name: 'scripts', scopes: ['read', 'orders'] })
  const over = await identity.tokens.create(USER, { name: 'over', scopes: ['read'] })
  await identity.tokens.revoke(USER, over.id)
  const at = istStamp(clock.now())

  // A refused reset ends nothing.
  expect((await step(http, 'password', { token: 'A'.repeat(43), password: NEW })).status).toBe(400)
  expect(await rig.opens(access)).toBe(true)
  const token = tokenOf(await mailedLink(http, mail))
  expect((await step(http, 'password', { token, password: NEW })).status).toBe(200)

  expect(await rig.opens(access)).toBe(false)
  expect((await rig.refresh(clientId, refresh)).body.error).toBe('invalid_grant')
  expect((await rig.redeem(clientId, consented)).body.error).toBe('invalid_grant')
  expect(messages.codes.take(chatCode, '4712')).toBeUndefined()
  await http.desk.service.passwordMails.settled()
  const remaining = [
    `token "scripts" (read, orders), created ${at}: svc token revoke ${id}`,
    `telegram 4711, linked ${at}: svc message contact telegram --remove`,
    'the API key: svc apikey rotate',
  ]
  const { text } = mail.received.at(-1) ?? { text: '' }
  expect(text).toContain('all its sessions ended. The access of all assistants ended too')
  for (const one of remaining) expect(text).toContain(`- ${one}`)
  expect(text).not.toContain('token "over"')
  await audit.flush()
  const [act] = await audit.list({ limit: 1, act: 'password.reset' })
  expect([act?.outcome, act?.actor]).toEqual(['done', USER])
  expect(JSON.parse(act?.after ?? '')).toEqual({ assistants_ended: 1, still_open: remaining })

  const again = await rig.restarted()
  const { mcp } = again.desk.service
  expect('tokenId' in (await mcp.verify(access))).toBe(false)
})

test('a link that ten browsers use at the same moment sets one password', async () => {
  const { http, mail } = await deskWithMail()
  const token = tokenOf(await mailedLink(http, mail))
  const passwords = Array.from({ length: 10 }, (_, n) => `Racing-Horse-${n}!`)
  const replies = await Promise.all(passwords.map((password) => step(http, 'password', { token, password })))
  const won = passwords.filter((_, n) => replies[n]?.status === 200)
  expect(won).toHaveLength(1)
  for (const { status, body } of replies) {
    if (status !== 200) expect(body.message).toBe('Invalid or expired reset token.')
  }
  expect(
    (await http.request('POST', '/auth/login', { body: { username: USER, password: won[0] } })).status,
  ).toBe(200)
})

test('a second link ends the first; an address gets at most five in an hour, and the last one stays valid', async () => {
  const { http, mail } = await deskWithMail()
  const first = await mailedLink(http, mail)
  for (let links = 0; links < 3; links++) await mailedLink(http, mail)
  const last = await mailedLink(http, mail)
  expect((await step(http, 'select_email')).status).toBe(200)
  await http.desk.service.passwordMails.settled()
  expect(mail.received).toHaveLength(5)
  expect((await step(http, 'password', { token: tokenOf(first), password: NEW })).status).toBe(400)
  expect((await step(http, 'password', { token: tokenOf(last), password: NEW })).status).toBe(200)
})

/** Everything about an answer that a caller sees, without what differs in every answer. */
function seen({ status, text, headers }: Reply) {
  const shown = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date')
  return { status, text, headers: Object.fromEntries(shown) }
}

test.each([
  ['with a mail server', true],
  ['without a mail server', false],
])('no step tells whether an address has an account, %s', async (_case, hasMail) => {
  const { http, mail } = await deskWithMail()
  if (!hasMail) await http.desk.service.settings.update({ smtpServer: null })
  const answers = async (email: string) => {
    const all = []
    for (const body of [
      { step: 'email' },
      { step: 'select_totp' },
      { step: 'select_email' },
      { step: 'totp', totp_code: '000000' },
      { step: 'password', token: 'A'.repeat(43), password: NEW },
      { step: 'password', token: 'A'.repeat(43), password: 'short' },
    ]) {
      all.push(seen(await step(http, body.step, { ...body, email })))
    }
    return all
  }
  const known = await answers(EMAIL)
  expect(await answers('nobody@example.org')).toEqual(known)
  expect(known.map(({ status }) => status)).toEqual([200, 200, hasMail ? 200 : 400, 400, 400, 400])
  await http.desk.service.passwordMails.settled()
  expect(mail.received.map(({ to }) => to)).toEqual(hasMail ? [[EMAIL]] : [])
})

test('the answer to a known address does not wait for the mail server', async () => {
  const { http } = await deskWithMail()
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { mailer } = http.desk.service
  const send = mailer.send.bind(mailer)
  mailer.send = async (mail) => {
    await held
    return send(mail)
  }
  expect((await step(http, 'select_email')).status).toBe(200)
  release()
  await http.desk.service.passwordMails.settled()
})

test('an account that demands a code for resets refuses links, for every address alike', async () => {
  const { http, mail } = await deskWithMail()
  const { clock, service } = http.desk
  const { secret } = await service.identity.secondFactor.enrolment(USER)
  const code = () => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
  const settings = { enabled: true, login: false, mcp: false, passwordReset: true }
  await service.identity.secondFactor.configure({ username: USER, code: code(), isOwners: true }, settings)
  const refused = await step(http, 'select_email')
  expect([refused.status, refused.body.message]).toEqual([
    400,
    "This account requires TOTP for password reset. Please choose 'Authenticator app' instead.",
  ])
  expect(seen(await step(http, 'select_email', { email: 'nobody@example.org' }))).toEqual(seen(refused))
  await service.passwordMails.settled()
  expect(mail.received).toEqual([])
  await clock.advance(30_000)
  const verified = await step(http, 'totp', { totp_code: code() })
  expect([verified.status, verified.body.message]).toEqual([200, 'TOTP verified'])
  const reset = await step(http, 'password', { token: verified.body.token, password: NEW })
  expect(reset.status).toBe(200)
})

test.each([
  [{ step: 'other' }, 'Invalid step'],
  [{}, 'Invalid step'],
  [{ step: 'email' }, 'email: Missing data for required field.'],
  [{ step: 'password', email: EMAIL, password: NEW }, 'token: Missing data for required field.'],
  [
    { step: 'password', email: EMAIL, token: 'x', password: NEW, confirm_password: 'y' },
    'New passwords do not match',
  ],
])('a reset refuses %j: %s', async (body, message) => {
  const http = await HttpDesk.open()
  const reply = await post(http, '/auth/reset-password', body)
  expect([reply.status, reply.code, reply.body.message]).toEqual([400, 'validation', message])
})

test('the steps of a reset may be sent as a form, but not by a page of another site', async () => {
  const http = await HttpDesk.open()
  const text = String(new URLSearchParams({ step: 'select_totp', email: EMAIL }))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const reply = await http.request('POST', '/auth/reset-password', { text, headers })
  expect(reply.body).toEqual({ status: 'success', method: 'totp' })
  const site = { ...headers, 'sec-fetch-site': 'cross-site' }
  expect((await http.request('POST', '/auth/reset-password', { text, headers: site })).status).toBe(403)
})
