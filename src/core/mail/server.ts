import { isIP } from 'node:net'
import type { SettingsValues } from '../settings/schema.js'
import { MailError, type MailServer } from './schema.js'

const IMPLICIT_TLS_PORT = 465

/** The settings that sending needs, with their public names. */
const REQUIRED = {
  smtpServer: 'smtp_server',
  smtpPort: 'smtp_port',
  smtpFromEmail: 'smtp_from_email',
} as const satisfies Partial<Record<keyof SettingsValues, string>>

/** Returns the public names of the settings that are missing to send mail. */
export function missingSettings(settings: SettingsValues): string[] {
  const required = Object.entries(REQUIRED).flatMap(([key, name]) =>
    settings[key as keyof typeof REQUIRED] ? [] : [name],
  )
  // A server without a user name needs no sign-in.
  return settings.smtpUsername && !settings.smtpPasswordSet ? [...required, 'smtp_password'] : required
}

/**
 * Returns the mail server of the settings.
 * @throws MailError `settings` when settings are missing, or when mail would cross a network unencrypted
 */
export function mailServerOf(settings: SettingsValues, password: string | undefined): MailServer {
  const { smtpServer: host, smtpPort: port, smtpUsername: username, smtpFromEmail: from } = settings
  if (!host) {
    const text = 'SMTP settings not configured. Please configure SMTP settings first.'
    throw new MailError('settings', text)
  }
  const missing = missingSettings(settings)
  if (missing.length > 0 || !port || !from) {
    throw new MailError('settings', `Missing required SMTP settings: ${missing.join(', ')}`)
  }
  if (username && !password) {
    throw new MailError('settings', 'The stored SMTP password cannot be decrypted. Set smtp_password again.')
  }
  const encryption =
    port === IMPLICIT_TLS_PORT ? 'implicit' : settings.smtpUseTls ? ('starttls' as const) : ('none' as const)
  // A mail with a reset link opens the account, so nobody on the way may read it.
  if (encryption === 'none' && !isThisMachine(host)) {
    const rule = 'Without TLS, mail is sent only to a server on this machine. Switch on smtp_use_tls.'
    throw new MailError('settings', rule)
  }
  const account = username && password ? { username, password } : undefined
  return { host, port, account, from, encryption, heloHostname: settings.smtpHeloHostname || host }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
