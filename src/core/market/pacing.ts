import { ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'

/** One of a broker's rate limits: the number of calls of one class within so many milliseconds. */
interface CallWindow {
  count: number
  perMs: number
}

/**
 * The default number of callers that may wait for their turn. More are refused, because their turn would come
 * too late.
 */
const MAX_WAITING = 30

/**
 * Paces calls that a broker limits: one at a time for the whole service, evenly spaced, first come first
 * served. A call may make several requests if it spaces them itself.
 */
export class CallPacer {
  readonly #clock: Clock
  readonly #maxWaiting: number
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #endedAt = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, maxWaiting = MAX_WAITING) {
    this.#clock = clock
    this.#maxWaiting = maxWaiting
  }

  /** @throws ServiceError `unavailable` if too many callers wait, or the error of the call */
  run<T>(windows: readonly CallWindow[], call: () => Promise<T>): Promise<T> {
    const spacingMs = Math.max(0, ...windows.map(({ count, perMs }) => Math.ceil(perMs / count)))
    if (spacingMs === 0) return call()
    if (this.#waiting >= this.#maxWaiting) {
      const retryAfterSeconds = Math.ceil((this.#maxWaiting * spacingMs) / 1000)
      return Promise.reject(
        new ServiceError(
          'unavailable',
          'Too many requests are waiting for the broker. Please try again later.',
          {
            retryAfterSeconds,
          },
        ),
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
