import { ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'
import type { CallRank } from './broker.js'

/** A broker's limit: the number of calls in so many milliseconds. */
export interface CallWindow {
  count: number
  perMs: number
}

interface Waiter {
  rank: CallRank
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

/** The most urgent rank first. */
const PLACE: Readonly<Record<CallRank, number>> = { cancel: 0, exit: 1, order: 2 }

/**
 * A call that would wait longer is refused, because its order may no longer make sense by then. An exit still does:
 * a square-off of many positions waits for its turns, which is faster than to be refused and to try again.
 */
const LONGEST_WAIT_MS: Readonly<Record<CallRank, number>> = { cancel: 5_000, exit: 300_000, order: 5_000 }

/**
 * Keeps the calls of one class within all of a broker's limits at any time. Calls wait by rank, and in order of
 * arrival within a rank. Each class has its own budget, so that a flood of quotes never delays an
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
  take(rank: CallRank = 'order'): Promise<void> {
    if (this.#windows.length === 0) return Promise.resolve()
    const now = this.#clock.monotonic()
    if (this.#waiting.length === 0 && this.#nextAt(now) <= now) {
      this.#count(now)
      return Promise.resolve()
    }
    const waitMs = this.#turnAfter(rank, now) - now
    if (waitMs > LONGEST_WAIT_MS[rank]) {
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
      this.#enqueue({ rank, go })
      if (!this.#pumping) void this.#pump()
    })
  }

  stats(): BudgetStats {
    const waiting = this.#waiting.length
    return { waiting, waited: this.#waited, waitedMs: this.#waitedMs, refused: this.#refused }
  }

  #enqueue(waiter: Waiter): void {
    const behind = this.#waiting.findIndex(({ rank }) => PLACE[rank] > PLACE[waiter.rank])
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
  #turnAfter(rank: CallRank, now: number): number {
    const before = this.#waiting.filter((waiter) => PLACE[waiter.rank] <= PLACE[rank]).length
    const sentAt = [...this.#sentAt]
    let at = now
    for (let place = 0; place <= before; place++) {
      at = this.#nextAt(at, sentAt)
      if (at - now > LONGEST_WAIT_MS[rank]) break
      sentAt.push(at)
    }
    return at
  }

  #count(now: number): void {
    this.#sentAt.push(now)
    if (this.#sentAt.length > this.#maxCount * 2) this.#sentAt.splice(0, this.#sentAt.length - this.#maxCount)
  }
}
