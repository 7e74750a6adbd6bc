import { expect, test } from 'vitest'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'
import { MAIL_PASSWORD, MAIL_USER, mailServer, TRUSTED } from '../../../support/mail/mail-server.js'

const SETTINGS = {
  smtp_server: '127.0.0.1',
  smtp_username: MAIL_USER,
  smtp_password: MAIL_PASSWORD,
  smtp_from_email: 'desk@example.org',
}

async function open() {
  const http = await HttpDesk.open({ mailCa: TRUSTED })
  const headers = bearer(await http.signIn())
  return {
    http,
    post: (path: string, body: unknown) => http.request('POST', path, { body, headers }),
    form: (path: string, fields: Record<string, string>) =>
      http.request('POST', path, {
        text: String(new URLSearchParams(fields)),
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      }),
    shown: async () => (await http.request('GET', '/auth/smtp-config', { headers })).body.data,
    profile: async () => (await http.request('GET', '/auth/profile-data', { headers })).body.data,
  }
}

test('the mail server is stored with its password sealed, which no answer contains', async () => {
  const { http, post, profile, shown } = await open()
  const reply = await post('/auth/smtp-config', { ...SETTINGS, smtp_port: 2525 })
  expect([reply.status, reply.body]).toEqual([
    200,
    { status: 'success', message: 'SMTP settings updated successfully' },
  ])
  const settings = {
    smtp_server: '127.0.0.1',
    smtp_port: 2525,
    smtp_username: MAIL_USER,
    smtp_password: true,
    smtp_use_tls: true,
    smtp_from_email: 'desk@example.org',
    smtp_helo_hostname: null,
  }
  expect(await shown()).toEqual(settings)
  expect(await profile()).toMatchObject({ smtp_settings: settings })
  const [row] = await http.desk.service.databases.svc.queryRaw('select * from settings')
  expect(JSON.stringify(row)).not.toContain(MAIL_PASSWORD)
})

test('a blank password keeps the stored one, a blank text removes it, an absent field keeps it', async () => {
  const { http, form, post, shown } = await open()
  await post('/auth/smtp-config', { ...SETTINGS, smtp_helo_hostname: 'desk.example.org' })
  expect(await shown()).toMatchObject({ smtp_port: 587 })
  await post('/auth/smtp-config', { smtp_password: '', smtp_helo_hostname: '' })
  expect(await shown()).toMatchObject({
    smtp_server: '127.0.0.1',
    smtp_helo_hostname: null,
    smtp_use_tls: true,
  })
  expect(http.desk.service.settings.smtpPassword()).toBe(MAIL_PASSWORD)
  await form('/auth/smtp-config', { smtp_port: '465' })
  expect(await shown()).toMatchObject({ smtp_port: 465, smtp_use_tls: false })
  await form('/auth/smtp-config', { smtp_use_tls: 'on' })
  expect(await shown()).toMatchObject({ smtp_port: 465, smtp_use_tls: true })
})

const REFUSED = [
  ['smtp_port', '70000'],
  ['smtp_port', 'x'],
  ['smtp_server', 'mail.example.org\r\nX: y'],
  ['smtp_server', 'http://169.254.169.254/'],
  ['smtp_from_email', 'desk@example.org\r\nBcc: eve@example.com'],
  ['smtp_from_email', 'desk'],
  ['smtp_helo_hostname', 'desk\r\nMAIL FROM:<x>'],
  ['smtp_username', 'desk\nx'],
] as const

test('a setting that is not valid is refused by its name, and nothing is stored', async () => {
  const { post, shown } = await open()
  const before = await shown()
  for (const [field, value] of REFUSED) {
    const reply = await post('/auth/smtp-config', { ...SETTINGS, [field]: value })
    expect([reply.status, Object.keys(Object(reply.body.errors))]).toEqual([400, [field]])
    expect(await shown(), `${field} ${value}`).toEqual(before)
  }
})

test('a test mail arrives, and the check of the connection lists its steps without the password', async () => {
  const server = await mailServer()
  const { post } = await open()
  await post('/auth/smtp-config', { ...SETTINGS, smtp_port: server.port })
  const sent = await post('/auth/test-smtp', { test_email: 'ravi@example.org' })
  expect([sent.status, sent.body]).toEqual([
    200,
    {
      success: true,
      message: 'Test email sent successfully to ravi@example.org. Please check your inbox (and spam folder).',
    },
  ])
  expect(server.received.map(({ to }) => to)).toEqual([['ravi@example.org']])
  const debug = await post('/auth/debug-smtp', undefined)
  expect([debug.status, debug.body]).toEqual([
    200,
    {
      success: true,
      message: 'Connection test successful',
      details: [
        'Server: 127.0.0.1',
        `Port: ${server.port}`,
        `Username: ${MAIL_USER}`,
        'Password: ********',
        'Use TLS: true',
        'HELO hostname: 127.0.0.1',
        'Connected, encrypted; the certificate is valid',
        'Signed in',
      ],
    },
  ])
})

test('a mail server that refuses the password is reported by both tests', async () => {
  const server = await mailServer()
  const { post } = await open()
  await post('/auth/smtp-config', { ...SETTINGS, smtp_port: server.port, smtp_password: 'wrong-canary' })
  const message = 'SMTP Authentication failed. Please check your username and password.'
  const sent = await post('/auth/test-smtp', { test_email: 'ravi@example.org' })
  expect([sent.status, sent.body]).toEqual([400, { status: 'error', success: false, message }])
  const debug = await post('/auth/debug-smtp', undefined)
  expect(debug.body).toMatchObject({ success: false, message })
  expect(debug.text + sent.text).not.toContain('wrong-canary')
})

test.each([
  [{}, 'Please provide a test email address.'],
  [{ test_email: 'ravi' }, 'Please provide a valid email address.'],
  [{ test_email: 'ravi@example.org' }, 'SMTP settings not configured. Please configure SMTP settings first.'],
])('a test mail is refused for %j: %s', async (body, message) => {
  const { post } = await open()
  const reply = await post('/auth/test-smtp', body)
  expect([reply.status, reply.body]).toEqual([400, { status: 'error', success: false, message }])
})

test('only an administrator may name the server that gets the mails with reset links', async () => {
  const { http } = await open()
  for (const path of ['/auth/smtp-config', '/auth/test-smtp', '/auth/debug-smtp']) {
    const headers = bearer(await http.tokenOf('settings'))
    expect([path, (await http.request('POST', path, { body: {}, headers })).status]).toEqual([path, 403])
  }
})
