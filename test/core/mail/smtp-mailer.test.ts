import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../../../src/core/logging/index.js'
import { MailError, SmtpMailer } from '../../../src/core/mail/index.js'
import { Settings } from '../../../src/core/settings/index.js'
import type { SettingsPatch } from '../../../src/core/settings/schema.js'
import { Database } from '../../../src/core/storage/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { boxFor } from '../../support/desk/secret-boxes.js'
import { eventually } from '../../support/eventually.js'
import { tempFile } from '../../support/files/temp.js'
import {
  MAIL_PASSWORD,
  MAIL_USER,
  mailServer,
  rawServer,
  TRUSTED,
  TRUSTED_OTHER,
} from '../../support/mail/mail-server.js'

const MAIL = { to: 'asha@example.com', subject: 'Hello', text: 'First line\nनमस्ते\n' }

interface Rig {
  mailer: SmtpMailer
  clock: VirtualClock
  settings: Settings
}

async function mailerFor(
  port: number,
  patch: SettingsPatch = {},
  ca: string | undefined = TRUSTED,
): Promise<Rig> {
  const db = await Database.open({ file: tempFile('svc.db'), schema: 'svc' })
  const clock = new VirtualClock('2026-01-05T10:00:00+05:30')
  const settings = await Settings.open({ db, secretBox: await boxFor(), log: silentLogger })
  await settings.update({
    smtpServer: '127.0.0.1',
    smtpPort: port,
    smtpUsername: MAIL_USER,
    smtpPassword: MAIL_PASSWORD,
    smtpFromEmail: 'desk@example.org',
    smtpUseTls: true,
    ...patch,
  })
  const mailer = new SmtpMailer({ settings, clock, ca })
  onTestFinished(async () => {
    mailer.close()
    await db.close()
  })
  return { mailer, clock, settings }
}

const faultOf = (sending: Promise<void>) =>
  sending.then(
    () => 'sent',
    (error: unknown) => (error instanceof MailError ? error.fault : error),
  )

describe('a mail', () => {
  it('arrives as it was written, over STARTTLS, and signs in only on the encrypted connection', async () => {
    const server = await mailServer()
    const { mailer } = await mailerFor(server.port)
    await mailer.send(MAIL)
    expect(server.signIns).toEqual([{ encrypted: true, accepted: true }])
    expect(server.received).toMatchObject([{ from: 'desk@example.org', to: ['asha@example.com'] }])
    const [mail] = server.received
    expect(mail?.text.replaceAll('\r\n', '\n').trim()).toBe(MAIL.text.trim())
    expect(mail?.headers).toEqual(
      expect.arrayContaining([
        'From: svc <desk@example.org>',
        'To: asha@example.com',
        'Subject: Hello',
        'Auto-Submitted: auto-generated',
        'Date: Mon, 05 Jan 2026 04:30:00 +0000',
      ]),
    )
  })

  it('is refused when the server does not offer STARTTLS, before the password is sent', async () => {
    const server = await mailServer({
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
    })
    const { mailer } = await mailerFor(server.port)
    expect(await faultOf(mailer.send(MAIL))).toBe('tls')
    expect(server).toMatchObject({ received: [], signIns: [] })
  })

  it.each([
    { name: 'a certificate that nobody trusts', certificate: 'localhost', ca: TRUSTED_OTHER },
    { name: 'a trusted certificate of another host', certificate: 'other', ca: TRUSTED_OTHER },
  ] as const)('is refused by $name, before the password is sent', async ({ certificate, ca }) => {
    const server = await mailServer({ certificate })
    const { mailer } = await mailerFor(server.port, {}, ca)
    expect(await faultOf(mailer.send(MAIL))).toBe('tls')
    expect(server).toMatchObject({ received: [], signIns: [] })
  })

  it('reports a wrong password as such, without repeating it', async () => {
    const server = await mailServer()
    const { mailer } = await mailerFor(server.port, { smtpPassword: 'wrong-canary' })
    const error = await mailer.send(MAIL).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      fault: 'authentication',
      message: 'SMTP Authentication failed. Please check your username and password.',
    })
    expect(server.received).toEqual([])
  })

  it.each([
    ['at once', 0],
    ['after its greeting', 1],
  ])('reports a server that hangs up %s', async (_when, greetings) => {
    const port = await rawServer((socket) => {
      if (greetings > 0) socket.write('220 mail ESMTP\r\n')
      socket.end()
    })
    const { mailer } = await mailerFor(port)
    expect(await faultOf(mailer.send(MAIL))).toBe('disconnected')
  })

  it('reports a port on which nothing listens', async () => {
    const { mailer } = await mailerFor(1)
    expect(await faultOf(mailer.send(MAIL))).toBe('unreachable')
  })

  it('reports the refusal of a recipient', async () => {
    const server = await mailServer({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no such user'), { responseCode: 550 })),
    })
    const { mailer } = await mailerFor(server.port)
    expect(await faultOf(mailer.send(MAIL))).toBe('refused')
  })

  it('gives up after 30 seconds on a server that keeps the connection busy', async () => {
    let opened = 0
    let closed = 0
    const port = await rawServer((socket) => {
      opened += 1
      const drip = setInterval(() => socket.write('220-wait\r\n'), 20)
      socket.on('close', () => {
        clearInterval(drip)
        closed += 1
      })
    })
    const { mailer, clock } = await mailerFor(port)
    const sending = faultOf(mailer.send(MAIL))
    await eventually(() => opened === 1)
    await clock.advance(30_000)
    expect(await sending).toBe('timeout')
    await eventually(() => closed === 1)
  })

  it('in flight ends when the service stops, and so does its connection', async () => {
    let closed = false
    let opened = false
    const port = await rawServer((socket) => {
      opened = true
      socket.on('close', () => {
        closed = true
      })
    })
    const { mailer } = await mailerFor(port)
    const sending = faultOf(mailer.send(MAIL))
    await eventually(() => opened)
    mailer.close()
    expect(await sending).toBe('stopped')
    await eventually(() => closed)
    expect(await faultOf(mailer.send(MAIL))).toBe('stopped')
  })

  it.each([
    { to: 'asha@example.com\r\nBcc: eve@example.com' },
    { to: 'asha@example.com,eve@example.com' },
    { to: 'asha@example.com>\r\nRCPT TO:<eve@example.com' },
    { subject: 'Hello\r\nBcc: eve@example.com' },
    { subject: 'Hello\nX: y' },
  ])('cannot get another header or recipient: %j', async (changed) => {
    const server = await mailServer()
    const { mailer } = await mailerFor(server.port)
    expect(await faultOf(mailer.send({ ...MAIL, ...changed }))).toBe('message')
    expect(server.received).toEqual([])
  })

  it('keeps a line of its text that looks like the end of the mail, or like a header', async () => {
    const server = await mailServer()
    const { mailer } = await mailerFor(server.port)
    const text = 'a\n.\nBcc: eve@example.com\n.b\n'
    await mailer.send({ ...MAIL, text })
    expect(server.received).toHaveLength(1)
    expect(server.received[0]?.to).toEqual(['asha@example.com'])
    expect(server.received[0]?.text.replaceAll('\r\n', '\n').trim()).toBe(text.trim())
  })
})

describe('the settings', () => {
  it('without TLS send only to this machine', async () => {
    const server = await mailServer({ allowInsecureAuth: true })
    const { mailer, settings } = await mailerFor(server.port, { smtpUseTls: false })
    await mailer.send(MAIL)
    expect(server.signIns).toEqual([{ encrypted: false, accepted: true }])
    await settings.update({ smtpServer: 'mail.example.org' })
    expect(await faultOf(mailer.send(MAIL))).toBe('settings')
  })

  it('without a user name send without a sign-in, to a server that asks for none', async () => {
    const server = await mailServer({ authOptional: true })
    const { mailer } = await mailerFor(server.port, { smtpUsername: null, smtpPassword: null })
    await mailer.send(MAIL)
    expect([server.received.length, server.signIns]).toEqual([1, []])
    const steps: string[] = []
    await mailer.check(steps)
    expect(steps).toEqual(['Connected, encrypted; the certificate is valid'])
    const strict = await mailServer()
    const { mailer: refused } = await mailerFor(strict.port, { smtpUsername: null, smtpPassword: null })
    expect(await faultOf(refused.send(MAIL))).toBe('refused')
  })

  it('that are missing are named', async () => {
    const { mailer, settings } = await mailerFor(2525, { smtpFromEmail: null, smtpPassword: null })
    await expect(mailer.send(MAIL)).rejects.toMatchObject({
      fault: 'settings',
      message: 'Missing required SMTP settings: smtp_from_email, smtp_password',
    })
    await settings.update({ smtpServer: null })
    await expect(mailer.send(MAIL)).rejects.toMatchObject({
      message: 'SMTP settings not configured. Please configure SMTP settings first.',
    })
  })

  it('are checked without sending a mail, and each step is listed', async () => {
    const server = await mailServer()
    const { mailer, settings } = await mailerFor(server.port)
    const steps: string[] = []
    await mailer.check(steps)
    expect(steps).toEqual(['Connected, encrypted; the certificate is valid', 'Signed in'])
    await settings.update({ smtpPassword: 'wrong' })
    const failed: string[] = []
    await expect(mailer.check(failed)).rejects.toMatchObject({ fault: 'authentication' })
    expect(failed).toEqual(['Connected, encrypted; the certificate is valid'])
    expect(server.received).toEqual([])
  })
})
