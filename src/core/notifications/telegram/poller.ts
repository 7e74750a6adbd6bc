import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock } from '../../time/index.js'
import { SendFailure } from '../schema.js'
import type { TelegramApi } from './api.js'
import { updateOf } from './updates.js'

/** The wait after a failed request: 5 s, twice the wait before, up to 5 minutes. */
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 300_000

interface PollerParts {
  api: Pick<TelegramApi, 'getUpdates'>
  clock: Clock
  log: Logger
  /** Takes an update. Resolves when it is safe to confirm it to Telegram. */
  accept(update: unknown): Promise<boolean>
}

/** Asks Telegram for updates, one request after the other. Each request confirms the updates before it. */
export class Poller {
  readonly #parts: PollerParts
  readonly #stopping = new AbortController()
  #offset: number | undefined
  #failures = 0
  #fault: string | undefined
  #running: Promise<void> | undefined

  constructor(parts: PollerParts) {
    this.#parts = parts
  }

  get fault(): string | undefined {
    return this.#fault
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#parts
    const { signal } = this.#stopping
    while (!signal.aborted) {
      try {
        await this.#poll()
        this.#failures = 0
        this.#fault = undefined
      } catch (error) {
        if (signal.aborted) return
        this.#failures += 1
        this.#fault = messageOf(error)
        const asked = (error instanceof SendFailure && error.facts.retryAfterMs) || 0
        const waitMs = Math.max(Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 1), LONGEST_WAIT_MS), asked)
        log.warn('telegram.no_updates', { failures: this.#failures, message: this.#fault })
        await clock.sleep(waitMs, signal).catch(() => undefined)
      }
    }
  }

  async #poll(): Promise<void> {
    const { accept, api } = this.#parts
    const updates = await api.getUpdates(this.#offset, this.#stopping.signal)
    for (const update of updates) {
      await accept(update)
      const id = updateOf(update)?.id
      if (id !== undefined) this.#offset = id + 1
    }
  }
}
