import { ServiceError } from '../../../core/errors/index.js'
import { MailError, mailServerOf, type SmtpMailer } from '../../../core/mail/index.js'
import type { Settings } from '../../../core/settings/index.js'
import { isEmailAddress, parseWith } from '../../../core/validation/index.js'
import { readJsonOrForm } from '../../http/body/body.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { smtpPayload, testMailPayload } from '../../operations/control/smtp-payloads.js'

interface SmtpParts {
  settings: Settings
  mailer: Pick<SmtpMailer, 'send' | 'check'>
}

const DEFAULT_PORT = 587
const MASK = '********'

/** Returns the handlers for the mail server: its settings, a test mail, and a test of the connection. */
export function smtpHandlers({ settings, mailer }: SmtpParts) {
  return {
    'GET /auth/smtp-config': () => ({ status: 'success', data: smtpView(settings) }),
    'POST /auth/smtp-config': httpHandler(async (c) => {
      const isForm = !(c.req.header('content-type') ?? '').includes('json')
      const given = parseWith(smtpPayload, await readJsonOrForm(c))
      // A form leaves out a box that is not ticked.
      const smtpUseTls = given.smtp_use_tls ?? (isForm ? false : undefined)
      await settings.update({
        smtpServer: orNull(given.smtp_server),
        smtpPort: given.smtp_port ?? settings.get().smtpPort ?? DEFAULT_PORT,
        smtpUsername: orNull(given.smtp_username),
        // A blank password keeps the stored one, which clients never see.
        smtpPassword: given.smtp_password || undefined,
        smtpUseTls,
        smtpFromEmail: orNull(given.smtp_from_email),
        smtpHeloHostname: orNull(given.smtp_helo_hostname),
      })
      return c.json({ status: 'success', message: 'SMTP settings updated successfully' })
    }),
    'POST /auth/test-smtp': httpHandler(async (c) => {
      const { test_email: to = '' } = parseWith(testMailPayload, await readJsonOrForm(c))
      if (to.trim() === '') throw failure('Please provide a test email address.')
      if (!isEmailAddress(to.trim())) throw failure('Please provide a valid email address.')
      const text = 'This is a test mail of svc. The mail server is set up correctly.\n'
      await mailer.send({ to: to.trim(), subject: 'svc: test mail', text }).catch((error: unknown) => {
        throw error instanceof MailError ? failure(error.message) : error
      })
      const message = `Test email sent successfully to ${to.trim()}. Please check your inbox (and spam folder).`
      return c.json({ success: true, message })
    }),
    'POST /auth/debug-smtp': async () => {
      const details = describe(settings)
      try {
        // The settings are complete, or the steps begin with what is missing.
        mailServerOf(settings.get(), settings.smtpPassword())
        await mailer.check(details)
        return { success: true, message: 'Connection test successful', details }
      } catch (error) {
        if (!(error instanceof MailError)) throw error
        return { success: false, message: error.message, details }
      }
    },
  } satisfies Partial<Handlers>
}

/** Returns the settings of the mail server; of the password only whether there is one. */
export function smtpView(settings: Pick<Settings, 'get'>) {
  const now = settings.get()
  return {
    smtp_server: now.smtpServer,
    smtp_port: now.smtpPort,
    smtp_username: now.smtpUsername,
    smtp_password: now.smtpPasswordSet,
    smtp_use_tls: now.smtpUseTls,
    smtp_from_email: now.smtpFromEmail,
    smtp_helo_hostname: now.smtpHeloHostname,
  }
}

function describe(settings: Settings): string[] {
  const view = smtpView(settings)
  return [
    `Server: ${view.smtp_server ?? 'not set'}`,
    `Port: ${view.smtp_port ?? 'not set'}`,
    `Username: ${view.smtp_username ?? 'not set'}`,
    `Password: ${view.smtp_password ? MASK : 'not set'}`,
    `Use TLS: ${view.smtp_use_tls}`,
    `HELO hostname: ${view.smtp_helo_hostname ?? view.smtp_server ?? 'not set'}`,
  ]
}

/** An absent field keeps the stored value, a blank one removes it. */
const orNull = (text: string | undefined): string | null | undefined => (text === '' ? null : text)

/** Returns a refusal in the form of the mail routes, which also say `success`. */
function failure(message: string): ServiceError {
  return new ServiceError('refused', message, { extra: { success: false } })
}
