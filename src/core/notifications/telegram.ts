import { messageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Notifier } from '../telemetry/index.js'
import type { Clock } from '../time/index.js'

/** The only host these messages go to; nothing a caller sends has a part in the address. */
const TELEGRAM_API = 'https://api.telegram.org'

const ANSWER_WITHIN_MS = 30_000
/** Messages that wait for a Telegram that cannot be reached; more are refused. */
const MAX_WAITING = 100
/** Pauses before each attempt at a message that waits. */
const ATTEMPTS_AFTER_MS = [0, 5_000, 60_000] as const

/** Chat of each user who is linked to the bot, by username. */
export type Chats = Readonly<Record<string, string>>

export interface TelegramOptions {
  /** Without one the bot is stopped. */
  token: string | undefined
  chats: Chats
  clock: Clock
  log: Logger
  /** Stands for the host of the Bot API, for tests. */
  api?: string
}

/** What Telegram said no to: trying again would end alike, unless it only asked for patience. */
class TelegramRefusal extends Error {
  constructor(
    readonly status: number,
    description: string,
  ) {
    super(`${status} ${description}`)
  }

  get isFinal(): boolean {
    return this.status !== 429 && this.status < 500
  }

  get isAboutMarkdown(): boolean {
    return this.status === 400 && /entit/i.test(this.message)
  }
}

/** Texts to the chats of users by a Telegram bot (contract, api-orders 11.1 and events section 7). */
export class TelegramBot implements Notifier {
  readonly #options: TelegramOptions
  readonly #chats: ReadonlyMap<string, string>
  readonly #stopping = new AbortController()
  #waiting = 0
  #queue = Promise.resolve()

  constructor(options: TelegramOptions) {
    this.#options = options
    this.#chats = new Map(Object.entries(options.chats))
  }

  get isRunning(): boolean {
    return this.#options.token !== undefined && !this.#stopping.signal.aborted
  }

  isLinked(userId: string): boolean {
    return this.#chats.has(userId)
  }

  reaches(userId: string): boolean {
    return this.isRunning && this.isLinked(userId)
  }

  /** For alerts: takes the text and returns, since who tells of an order must not wait for Telegram. */
  async send(userId: string, text: string): Promise<void> {
    this.queue(userId, text)
  }

  /**
   * Sends now, and waits for it: `sent`, or `queued` when Telegram cannot be reached at the moment.
   * @throws ServiceError when Telegram refuses it for good
   */
  async sendOrQueue(userId: string, text: string): Promise<'sent' | 'queued'> {
    try {
      await this.#sendNow(userId, text)
      return 'sent'
    } catch (error) {
      if (error instanceof TelegramRefusal && error.isFinal) {
        this.#options.log.warn('telegram.refused', { message: messageOf(error) })
        throw new ServiceError('broker_protocol', 'Failed to send notification', { httpStatus: 500 })
      }
      this.queue(userId, text)
      return 'queued'
    }
  }

  /**
   * Sends when it is its turn: one message after the other, a few attempts each. What waits is lost with the
   * process. @throws ServiceError `unavailable` when too many wait
   */
  queue(userId: string, text: string): void {
    if (this.#waiting >= MAX_WAITING) throw new ServiceError('unavailable', 'Failed to send notification')
    this.#waiting += 1
    this.#queue = this.#queue
      .then(() => this.#deliver(userId, text))
      .finally(() => {
        this.#waiting -= 1
      })
  }

  /** Gives up what waits and what is under way. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#queue
  }

  async #deliver(userId: string, text: string): Promise<void> {
    const { clock, log } = this.#options
    for (const pauseMs of ATTEMPTS_AFTER_MS) {
      try {
        if (pauseMs > 0) await clock.sleep(pauseMs, this.#stopping.signal)
        if (this.#stopping.signal.aborted) return
        await this.#sendNow(userId, text)
        return
      } catch (error) {
        if (this.#stopping.signal.aborted) return
        log.warn('telegram.not_delivered', { message: messageOf(error) })
        if (error instanceof TelegramRefusal && error.isFinal) return
      }
    }
  }

  /** In Telegram's Markdown, as plain text where that cannot be read. */
  async #sendNow(userId: string, text: string): Promise<void> {
    try {
      await this.#post(userId, { text, parse_mode: 'Markdown' })
    } catch (error) {
      if (!(error instanceof TelegramRefusal && error.isAboutMarkdown)) throw error
      await this.#post(userId, { text })
    }
  }

  async #post(userId: string, message: { text: string; parse_mode?: string }): Promise<void> {
    const { api = TELEGRAM_API, clock, token } = this.#options
    const chat = this.#chats.get(userId)
    if (token === undefined || chat === undefined) throw new TelegramRefusal(404, 'no bot, or no chat')
    const deadline = new AbortController()
    const timer = clock.setTimeout(() => deadline.abort(new Error('no answer in time')), ANSWER_WITHIN_MS)
    try {
      const response = await fetch(`${api}/bot${token}/sendMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chat_id: chat, ...message }),
        // The token is in the path: it must not follow a redirection to somebody else.
        redirect: 'error',
        signal: AbortSignal.any([deadline.signal, this.#stopping.signal]),
      })
      const answer = await response.text()
      if (!response.ok) throw new TelegramRefusal(response.status, answer.slice(0, 200))
    } finally {
      clock.clear(timer)
    }
  }
}
