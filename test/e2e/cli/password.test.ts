import { afterEach, expect, it } from 'vitest'
import { signedIn, strangerAt } from '../../support/desk/command-desk.js'
import { eventually } from '../../support/eventually.js'
import {
  CERTIFICATE_FILE,
  linkIn,
  MAIL_PASSWORD,
  MAIL_USER,
  mailServer,
} from '../../support/mail/mail-server.js'
import { Authenticator } from '../../support/process/authenticator.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../../support/process/daemon-process.js'
import { EventClient } from '../../support/traffic/event-client.js'

/* A new password with the built program: changed, reset by a code, and reset by a mailed link. */
const NEW = 'New-Horse-2!'
const EMAIL = 'asha@example.org'

let daemon: DaemonProcess
afterEach(() => daemon.dispose())

const login = (password: string) =>
  strangerAt(daemon, daemon.url).svc(['login', '--username', USERNAME, '--password-stdin'], {
    stdin: password,
  })
const statusOf = async (token: string) =>
  (await daemon.send('/auth/whoami', { headers: { authorization: `Bearer ${token}` } })).status

it('svc password change ends every session and its event stream, and signs this home out', async () => {
  daemon = await DaemonProcess.ready()
  const terminal = signedIn(daemon, daemon.url)
  const events = new EventClient(daemon)
  await events.connect()
  const { token } = daemon
  const wrong = await terminal.svc('password change --password-stdin', { stdin: `wrong\n${NEW}\n` })
  expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('Current password is incorrect')])
  expect(await statusOf(token)).toBe(200)
  const one = await terminal.svc('password change --password-stdin', { stdin: `${PASSWORD}\n` })
  expect([one.exit, one.stderr]).toEqual([2, expect.stringContaining('two lines')])

  const changed = await terminal.svc('password change --password-stdin', { stdin: `${PASSWORD}\n${NEW}\n` })
  expect([changed.exit, changed.stderr]).toEqual([0, expect.stringContaining('svc login')])
  expect(await statusOf(token)).toBe(401)
  await eventually(() => events.closeCode === 4401, 'the event stream closes within a second')
  expect((await terminal.svc('whoami')).exit).toBe(3)
  expect([(await login(PASSWORD)).exit, (await login(NEW)).exit]).toEqual([3, 0])
})

it('svc password reset takes a code, which works once', async () => {
  daemon = await DaemonProcess.ready()
  const terminal = signedIn(daemon, daemon.url)
  const app = await Authenticator.of(daemon)
  const code = await app.next()
  const reset = (password: string) =>
    terminal.svc(['password', 'reset', '--email', EMAIL, '--password-stdin', '--totp-stdin'], {
      stdin: `${password}\n${code}\n`,
    })
  expect((await reset(NEW)).exit).toBe(0)
  expect([(await login(PASSWORD)).exit, (await login(NEW)).exit]).toEqual([3, 0])
  const replayed = await reset('Third-Horse-3!')
  expect([replayed.exit, replayed.stderr]).toEqual([3, expect.stringContaining('Invalid TOTP code')])
  expect((await login(NEW)).exit).toBe(0)
})

it('svc smtp sets the mail server up, and svc password reset --link mails a link for any browser', async () => {
  const mail = await mailServer()
  daemon = await DaemonProcess.ready({ NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE })
  const terminal = signedIn(daemon, daemon.url)
  const set = `smtp set --server 127.0.0.1 --port ${mail.port} --username ${MAIL_USER} --from desk@example.org`
  const done = await terminal.svc(`${set} --password-stdin`, { stdin: `${MAIL_PASSWORD}\n` })
  expect([done.exit, done.stderr]).toEqual([0, expect.stringContaining('svc smtp debug')])
  expect(await terminal.json('smtp show')).toMatchObject({ smtp_port: mail.port, smtp_password: true })
  const debug = await terminal.svc('smtp debug')
  expect([debug.exit, debug.stdout]).toEqual([0, expect.stringContaining('Signed in')])
  expect((await terminal.svc('smtp test ravi@example.org')).exit).toBe(0)
  expect(mail.received.map(({ to }) => to)).toEqual([['ravi@example.org']])

  const stranger = strangerAt(daemon, daemon.url)
  const [known, unknown] = [
    await stranger.svc(`password reset --email ${EMAIL} --link`),
    await stranger.svc('password reset --email nobody@example.org --link'),
  ]
  expect(known).toMatchObject({ exit: 0 })
  expect([unknown.exit, unknown.stdout, unknown.stderr]).toEqual([known.exit, known.stdout, known.stderr])
  await eventually(() => mail.received.length === 2)
  const link = linkIn(mail.received[1] ?? { text: '' })
  expect(link.startsWith(daemon.url)).toBe(true)

  // The "browser": it follows the link without anything from the terminal that asked for it.
  const opened = await fetch(link)
  expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining('Reset the password')])
  const given = new URL(opened.url).searchParams
  const body = { step: 'password', email: given.get('email'), token: given.get('token'), password: NEW }
  const reset = () =>
    daemon.send('/auth/reset-password', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await reset()).status).toBe(200)
  expect((await reset()).status).toBe(400)
  expect(await statusOf(daemon.token)).toBe(401)
  expect((await login(NEW)).exit).toBe(0)

  await login(NEW)
  const wrong = await terminal.svc('smtp debug')
  expect(wrong.exit).toBe(3)
})
