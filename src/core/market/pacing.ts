import { ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'

/** A window of a broker's limits: calls of one class it takes in so many milliseconds. */
export interface CallWindow {
  count: number
  perMs: number
}

/** Callers that wait for their turn; more are refused, since theirs would not come in time. */
const MAX_WAITING = 30

/**
 * Keeps calls that a broker limits apart: one at a time for the whole service, evenly spaced, in the order in
 * which they came (contract, history). A call may itself be several, as long as it keeps them apart too.
 */
export class CallPacer {
  readonly #clock: Clock
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #endedAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @throws ServiceError `unavailable` when too many wait, or what the call fails with */
  run<T>(windows: readonly CallWindow[], call: () => Promise<T>): Promise<T> {
    const spacingMs = Math.max(0, ...windows.map(({ count, perMs }) => Math.ceil(perMs / count)))
    if (spacingMs === 0) return call()
    if (this.#waiting >= MAX_WAITING) {
      const retryAfterSeconds = Math.ceil((MAX_WAITING * spacingMs) / 1000)
      return Promise.reject(
        new ServiceError('unavailable', 'Too many requests wait for the broker. Please try again later.', {
          retryAfterSeconds,
        }),
      )
    }
    this.#waiting += 1
    const answer = this.#last.then(() => this.#spaced(spacingMs, call))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  async #spaced<T>(spacingMs: number, call: () => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic()
    if (this.#endedAt + spacingMs > now) await this.#clock.sleep(this.#endedAt + spacingMs - now)
    try {
      return await call()
    } finally {
      this.#endedAt = this.#clock.monotonic()
      this.#waiting -= 1
    }
  }
}
