import type { Settings } from '../settings/index.js'
import type { Clock } from '../time/index.js'
import { isEmailAddress } from '../validation/index.js'
import { type Mail, MailError, type Mailer, type MailServer } from './schema.js'
import { mailServerOf } from './server.js'
import { called, type SmtpSessionParts, withSmtpSession } from './smtp-session.js'

const SENDER_NAME = 'svc'
const MAX_SUBJECT = 200
const CONTROL = /\p{Cc}/u

interface SmtpMailerParts {
  settings: Pick<Settings, 'get' | 'smtpPassword'>
  clock: Clock
  /** Certificates to trust besides those of Node. */
  ca?: SmtpSessionParts['ca']
}

/**
 * Sends mail through the server in the settings. Each mail has its own connection, and uses the settings at the
 * time of sending.
 */
export class SmtpMailer implements Mailer {
  readonly #parts: SmtpMailerParts
  readonly #stop = new AbortController()

  constructor(parts: SmtpMailerParts) {
    this.#parts = parts
  }

  async send(mail: Mail): Promise<void> {
    const server = this.#server()
    const message = await composed(mail, server, this.#parts.clock.now())
    const envelope = { from: server.from, to: [mail.to], size: message.length }
    await withSmtpSession(server, this.#session(), (connection) =>
      called((done) => connection.send(envelope, message, done)),
    )
  }

  /**
   * Connects and signs in without sending anything. Adds each step to `steps`, also when a later one fails.
   * @throws MailError
   */
  async check(steps: string[]): Promise<void> {
    const server = this.#server()
    await withSmtpSession(
      server,
      this.#session(),
      async () => undefined,
      (step) => steps.push(step),
    )
  }

  /** Ends all connections; mails in flight fail. */
  close(): void {
    this.#stop.abort()
  }

  #server(): MailServer {
    const { settings } = this.#parts
    return mailServerOf(settings.get(), settings.smtpPassword())
  }

  #session(): SmtpSessionParts {
    const { clock, ca } = this.#parts
    return { clock, ca, stopping: this.#stop.signal }
  }
}

/** Returns the mail as bytes. @throws MailError `message` for a text that could add a header or a recipient */
async function composed({ to, subject, text }: Mail, { from }: MailServer, now: number): Promise<Buffer> {
  for (const address of [to, from]) {
    if (!isEmailAddress(address)) throw new MailError('message', 'Please provide a valid email address.')
  }
  if (CONTROL.test(subject) || subject.length > MAX_SUBJECT) {
    throw new MailError('message', `A subject is one line of at most ${MAX_SUBJECT} characters.`)
  }
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const composer = new MailComposer({
    from: { name: SENDER_NAME, address: from },
    to: { name: '', address: to },
    subject,
    text,
    date: new Date(now),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}
