import { messageOf, ServiceError } from '../../errors/index.js'
import type { Mailer } from '../../mail/schema.js'
import { type Clock, HOUR_MS } from '../../time/index.js'
import type { IdentityLog } from '../identity-listeners.js'
import type { Passwords } from './passwords.js'

/** Mails with a link that an address gets in an hour. Further requests send none, and the last link stays valid. */
const LINKS_AN_HOUR = 5
/** Requests that may wait for the mail server. */
const MAX_WAITING = 100

/** A password that was replaced, and what became of the other access to its account. */
interface NewPassword {
  what: 'changed' | 'reset'
  /** The number of grants of assistants that ended with it. */
  assistants: number
  /** The tokens, chats and keys that still open the account, one line each. */
  remaining: readonly string[]
}

interface PasswordMailsParts {
  passwords: Passwords
  mailer: Mailer
  /** Returns whether a mail server is configured. */
  configured(): boolean
  clock: Clock
  log: IdentityLog
}

/**
 * The mails about passwords. They are sent in the background: the duration of a request does not tell whether an
 * address is known.
 */
export class PasswordMails {
  readonly #parts: PasswordMailsParts
  readonly #sending = new Set<Promise<void>>()
  readonly #sentAt: number[] = []

  constructor(parts: PasswordMailsParts) {
    this.#parts = parts
  }

  /**
   * Sends a link to the address if it is known. The outcome is the same for every address.
   * @param baseUrl the address under which browsers reach the service, without a slash at the end
   * @throws ServiceError `refused` when the account demands a code or no mail server is configured
   */
  async requestLink(email: string, baseUrl: string): Promise<void> {
    const { configured, passwords } = this.#parts
    if (!(await passwords.allowsMail())) {
      throw new ServiceError(
        'refused',
        "This account requires TOTP for password reset. Please choose 'Authenticator app' instead.",
      )
    }
    if (!configured()) {
      throw new ServiceError('refused', 'Email reset is not available. Please use TOTP authentication.')
    }
    this.#inBackground(() => this.#sendLink(email, baseUrl))
  }

  /**
   * Tells the owner of an account that its password is new, and what else opens the account. Does nothing without a mail
   * server.
   */
  announce(email: string, { assistants, remaining, what }: NewPassword): void {
    if (!this.#parts.configured()) return
    const ended = assistants === 0 ? '' : ' The access of all assistants ended too: each needs a new consent.'
    const paragraphs = [
      `The password of your svc account was ${what}, and all its sessions ended.${ended}`,
      ...(remaining.length === 0
        ? []
        : [
            `This still opens your account. End what you do not know:\n${remaining.map((one) => `- ${one}`).join('\n')}`,
          ]),
      'If you did not do this, reset the password now, and revoke the tokens and the API key.',
    ]
    this.#inBackground(() =>
      this.#parts.mailer.send({
        to: email,
        subject: `Your svc password was ${what}`,
        text: `${paragraphs.join('\n\n')}\n`,
      }),
    )
  }

  /** Resolves when no mail waits. The caller first closes the mailer. */
  async settled(): Promise<void> {
    await Promise.all(this.#sending)
  }

  #inBackground(work: () => Promise<void>): void {
    const { log } = this.#parts
    if (this.#sending.size >= MAX_WAITING) {
      log.warn('mail.dropped', { waiting: this.#sending.size })
      return
    }
    const sent: Promise<void> = work()
      .catch((error: unknown) => log.error('mail.not_sent', { reason: messageOf(error) }))
      .finally(() => this.#sending.delete(sent))
    this.#sending.add(sent)
  }

  async #sendLink(email: string, baseUrl: string): Promise<void> {
    const { clock, mailer, passwords } = this.#parts
    if (!(await passwords.knows(email))) return
    const now = clock.monotonic()
    while (this.#sentAt[0] !== undefined && this.#sentAt[0] <= now - HOUR_MS) this.#sentAt.shift()
    if (this.#sentAt.length >= LINKS_AN_HOUR) return
    this.#sentAt.push(now)
    const link = await passwords.issueLink(email)
    if (!link) return
    await mailer.send({
      to: link.email,
      subject: 'Reset your svc password',
      text: `Open this link within an hour to set a new password. It works once.\n\n${baseUrl}/auth/reset-password-email/${link.token}\n\nIf you did not ask for it, ignore this mail: your password stays as it is.\n`,
    })
  }
}
