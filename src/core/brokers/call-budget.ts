import { ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'

/** A broker's limit: the number of calls in so many milliseconds. */
export interface CallWindow {
  count: number
  perMs: number
}

interface Waiter {
  urgent: boolean
  go: () => void
}

/** How calls waited for a budget since the start. */
export interface BudgetStats {
  /** Calls that wait now. */
  waiting: number
  /** Calls that had to wait. */
  waited: number
  /** The time that they waited, in milliseconds. */
  waitedMs: number
  /** Calls refused because they would have waited too long. */
  refused: number
}

/** A call that would wait longer is refused, because its order may no longer make sense by then. */
const LONGEST_WAIT_MS = 5_000

/**
 * Keeps the calls of one class within all of a broker's limits at any time. Calls wait in order of arrival;
 * urgent ones (cancels) go first. Each class has its own budget, so that a flood of quotes never delays an
 * order.
 */
export class CallBudget {
  readonly #windows: readonly CallWindow[]
  readonly #clock: Clock
  readonly #maxCount: number
  /** The times of the last released calls, oldest first. */
  readonly #sentAt: number[] = []
  readonly #waiting: Waiter[] = []
  #pumping = false
  #waited = 0
  #waitedMs = 0
  #refused = 0

  constructor(windows: readonly CallWindow[], clock: Clock) {
    this.#windows = windows
    this.#clock = clock
    this.#maxCount = Math.max(0, ...windows.map(({ count }) => count))
  }

  /**
   * Resolves when a call may be sent; the call is counted at that moment.
   * @throws ServiceError `rate_limited` if the wait would be too long; nothing was sent
   */
  take(urgent = false): Promise<void> {
    if (this.#windows.length === 0) return Promise.resolve()
    const now = this.#clock.monotonic()
    if (this.#waiting.length === 0 && this.#nextAt(now) <= now) {
      this.#count(now)
      return Promise.resolve()
    }
    const waitMs = this.#turnAfter(urgent, now) - now
    if (waitMs > LONGEST_WAIT_MS) {
      this.#refused += 1
      return Promise.reject(
        new ServiceError('rate_limited', "The broker's call limit is reached; nothing was sent.", {
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        }),
      )
    }
    return new Promise((resolve) => {
      this.#waited += 1
      const go = () => {
        this.#waitedMs += this.#clock.monotonic() - now
        resolve()
      }
      this.#enqueue({ urgent, go })
      if (!this.#pumping) void this.#pump()
    })
  }

  stats(): BudgetStats {
    const waiting = this.#waiting.length
    return { waiting, waited: this.#waited, waitedMs: this.#waitedMs, refused: this.#refused }
  }

  #enqueue(waiter: Waiter): void {
    const behind = waiter.urgent ? this.#waiting.findIndex(({ urgent }) => !urgent) : -1
    if (behind < 0) this.#waiting.push(waiter)
    else this.#waiting.splice(behind, 0, waiter)
  }

  async #pump(): Promise<void> {
    this.#pumping = true
    for (;;) {
      const now = this.#clock.monotonic()
      const at = this.#nextAt(now)
      if (at > now) {
        await this.#clock.sleep(at - now)
        continue
      }
      const next = this.#waiting.shift()
      if (!next) break
      this.#count(now)
      next.go()
    }
    this.#pumping = false
  }

  /** Returns the earliest time at which one more call is within every limit. */
  #nextAt(now: number, sentAt: readonly number[] = this.#sentAt): number {
    let at = now
    for (const { count, perMs } of this.#windows) {
      const first = sentAt[sentAt.length - count]
      if (first !== undefined) at = Math.max(at, first + perMs)
    }
    return at
  }

  /** Returns when a call that arrives now would be released, after the calls that wait before it. */
  #turnAfter(urgent: boolean, now: number): number {
    const before = urgent ? this.#waiting.filter((waiter) => waiter.urgent).length : this.#waiting.length
    const sentAt = [...this.#sentAt]
    let at = now
    for (let place = 0; place <= before; place++) {
      at = this.#nextAt(at, sentAt)
      if (at - now > LONGEST_WAIT_MS) break
      sentAt.push(at)
    }
    return at
  }

  #count(now: number): void {
    this.#sentAt.push(now)
    if (this.#sentAt.length > this.#maxCount * 2) this.#sentAt.splice(0, this.#sentAt.length - this.#maxCount)
  }
}
