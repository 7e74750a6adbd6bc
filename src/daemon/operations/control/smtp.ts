import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { MailError, mailServerOf } from '../../../core/mail/index.js'
import type { Settings } from '../../../core/settings/index.js'
import { fields, isEmailAddress } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { count, message, messageOnly, ok, text } from '../common/answers.js'
import { changing, control, json, reading } from './control-facts.js'

const DEFAULT_PORT = 587
const MASK = '********'

/** A name or address of a host, or nothing. */
const host = fields
  .text(255)
  .transform((text) => text.trim())
  .refine((text) => /^[a-z0-9.:-]*$/i.test(text), 'Must be a host name or an IP address.')
const line = fields
  .text(255)
  .transform((text) => text.trim())
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters.')
const port = fields
  .integer()
  .refine((value) => value >= 1 && value <= 65_535, 'Must be between 1 and 65535.')
  .meta({ minimum: 1, maximum: 65_535 })

const smtpPayload = z.strictObject({
  smtp_server: host.optional(),
  smtp_port: port.optional(),
  smtp_username: line.optional(),
  smtp_password: fields.text(255).optional(),
  smtp_use_tls: fields.boolean().optional(),
  smtp_from_email: line
    .refine((text) => text === '' || isEmailAddress(text), 'Must look like name@domain.tld.')
    .optional(),
  smtp_helo_hostname: host.optional(),
})

const testMailPayload = z.strictObject({ test_email: fields.text(254).optional() })

/** The settings of the mail server. The password is never part of them. */
export const smtp = z.strictObject({
  smtp_server: text.nullable(),
  smtp_port: count.nullable(),
  smtp_username: text.nullable(),
  smtp_password: z.boolean().meta({ description: 'Whether a password is stored.' }),
  smtp_use_tls: z.boolean(),
  smtp_from_email: text.nullable(),
  smtp_helo_hostname: text.nullable(),
})
const testMail = z.strictObject({ success: z.literal(true), message })
const debugMail = z.strictObject({ success: z.boolean(), message, details: z.array(text) })

/** The mail server: its settings, a test mail, and a test of the connection. */
export const SMTP_OPERATIONS = {
  'GET /auth/smtp-config': control('Returns the mail server without its password.', {
    ...reading,
    answer: ok({ data: smtp }),
    run: ({ settings }) => ({ status: 'success', data: smtpView(settings) }),
  }),
  'POST /auth/smtp-config': control(
    'Sets the mail server. A field that is left out, and a blank password, keep the stored value.',
    {
      ...changing,
      fresh: true,
      body: smtpPayload,
      bodyOrForm: true,
      example: {
        smtp_server: 'mail.example.org',
        smtp_port: 587,
        smtp_username: 'desk',
        smtp_password: 'a password',
        smtp_use_tls: true,
        smtp_from_email: 'desk@example.org',
      },
      answer: messageOnly,
      errors: [...json, 'storage_full'],
      audit: { act: 'smtp.set', values: smtpValues },
      run: async ({ settings }, { body: given }, caller) => {
        const isForm = !(caller.header('content-type') ?? '').includes('json')
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
        return { status: 'success', message: 'SMTP settings updated successfully' }
      },
    },
  ),
  'POST /auth/test-smtp': control('Sends a test mail and waits until the server has accepted it.', {
    ...changing,
    body: testMailPayload,
    bodyOrForm: true,
    example: { test_email: 'asha@example.org' },
    answer: testMail,
    errors: [...json, 'refused'],
    audit: { unrecorded: 'It sends a message and changes nothing.' },
    run: async ({ mailer }, { body: { test_email: to = '' } }) => {
      if (to.trim() === '') throw failure('Please provide a test email address.')
      if (!isEmailAddress(to.trim())) throw failure('Please provide a valid email address.')
      const text = 'This is a test mail of svc. The mail server is set up correctly.\n'
      await mailer.send({ to: to.trim(), subject: 'svc: test mail', text }).catch((error: unknown) => {
        throw error instanceof MailError ? failure(error.message) : error
      })
      const message = `Test email sent successfully to ${to.trim()}. Please check your inbox (and spam folder).`
      return { success: true, message }
    },
  }),
  'POST /auth/debug-smtp': control('Connects to the mail server and signs in, without sending a mail.', {
    ...changing,
    answer: debugMail,
    audit: { unrecorded: 'It sends a message and changes nothing.' },
    run: async ({ settings, mailer }) => {
      const details = settingLines(settings)
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
  }),
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

function settingLines(settings: Settings): string[] {
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

function smtpValues({ service }: ActRequest<RunningService>) {
  return smtpView(service.settings)
}
