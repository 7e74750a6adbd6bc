import { messageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Notifier } from '../telemetry/index.js'
import type { Clock } from '../time/index.js'

/** The only host that messages are sent to. No part of the address comes from a caller. */
const TELEGRAM_API = 'https://api.telegram.org'

const RESPONSE_TIMEOUT_MS = 30_000
/** The number of messages that may wait while Telegram cannot be reached; more are refused. */
const MAX_WAITING = 100
/** Delay before each attempt to deliver a waiting message. */
const ATTEMPTS_AFTER_MS = [0, 5_000, 60_000] as const

/** The chat of each user linked to the bot, by username. */
type Chats = Readonly<Record<string, string>>

interface TelegramOptions {
  /** Undefined means that the bot is stopped. */
  token: string | undefined
  chats: Chats
  clock: Clock
  log: Logger
  /** Replaces the host of the Bot API in tests. */
  api?: string
}

/** An error response of Telegram. A retry can only succeed after 429 and 5xx. */
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

/** Sends texts to the chats of users with a Telegram bot. */
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

  /** Queues an alert and returns at once, because the sender of an order alert must not wait for Telegram. */
  async send(userId: string, text: string): Promise<void> {
    this.queue(userId, text)
  }

  /**
   * Sends the text and waits for the response: `sent`, or `queued` if Telegram cannot be reached now.
   * @throws ServiceError if Telegram refuses the message permanently
   */
  async sendOrQueue(userId: string, text: string): Promise<'sent' | 'queued'> {
    try {
      await this.#sendNow(userId, text)
      return 'sent'
    } catch (error) {
      if (error instanceof TelegramRefusal && error.isFinal) {
        this.#options.log.warn('telegram.refused', { message: messageOf(error) })
        throw new ServiceError('broker_protocol', 'Failed to send notification', {
          reason: 'message_refused',
        })
      }
      this.queue(userId, text)
      return 'queued'
    }
  }

  /**
   * Queues a message. Messages are sent one after the other with a few attempts each. The queue is lost when
   * the process ends. @throws ServiceError `unavailable` if the queue is full
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

  /** Drops queued messages and aborts the one being sent. */
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

  /** Sends the text as Telegram Markdown, or as plain text if Telegram cannot parse it. */
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
    const timer = clock.setTimeout(() => deadline.abort(new Error('no answer in time')), RESPONSE_TIMEOUT_MS)
    try {
      const response = await fetch(`${api}/bot${token}/sendMessage`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chat_id: chat, ...message }),
        // The token is in the path, so it must not follow a redirect to another host.
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
