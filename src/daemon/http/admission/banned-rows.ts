import type { Clock } from '../../../core/time/index.js'

const PERIOD_MS = 60_000
/** The most clients that get a row in one period. */
const MAX_CLIENTS = 1000

/**
 * Chooses the refused requests of banned clients that are recorded: the first of each client in a minute. So the log
 * shows that a banned client still tries, and no banned client can fill it.
 */
export class BannedRows {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #recorded = new Set<string>()
  #since = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Returns whether to record a request of a client that was refused now. */
  take(client: string): boolean {
    const now = this.#clock.monotonic()
    if (now - this.#since >= PERIOD_MS) {
      this.#recorded.clear()
      this.#since = now
    }
    if (this.#recorded.has(client) || this.#recorded.size >= MAX_CLIENTS) return false
    this.#recorded.add(client)
    return true
  }
}
