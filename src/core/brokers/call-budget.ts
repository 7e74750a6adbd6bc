import { ServiceError } from '../errors/index.js'
import type { Clock } from '../time/index.js'

/** Calls a broker takes in so many milliseconds. */
export interface CallWindow {
  count: number
  perMs: number
}

interface Waiter {
  urgent: boolean
  go: () => void
}

/** A call whose turn is further away is refused: by then its order would be another one. */
const LONGEST_WAIT_MS = 5_000

/**
 * Keeps the calls of one class within all windows a broker names, at every instant. Calls wait their turn in the
 * order in which they came, the urgent ones (cancels) before the others. Each class has a budget of its own, so
 * that a flood of quotes never holds up an order.
 */
export class CallBudget {
  readonly #windows: readonly CallWindow[]
  readonly #clock: Clock
  readonly #most: number
  /** When the last calls were let go, oldest first. */
  readonly #gone: number[] = []
  readonly #waiting: Waiter[] = []
  #pumping = false

  constructor(windows: readonly CallWindow[], clock: Clock) {
    this.#windows = windows
    this.#clock = clock
    this.#most = Math.max(0, ...windows.map(({ count }) => count))
  }

  /**
   * Resolves when a call may leave; it is counted by then.
   * @throws ServiceError `rate_limited` (429) when its turn would come too late: nothing was sent
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
      return Promise.reject(
        new ServiceError('rate_limited', "The broker's limit of calls is reached; nothing was sent.", {
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        }),
      )
    }
    return new Promise((resolve) => {
      this.#enqueue({ urgent, go: resolve })
      if (!this.#pumping) void this.#pump()
    })
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

  /** The earliest instant at which one more call is within every window. */
  #nextAt(now: number, gone: readonly number[] = this.#gone): number {
    let at = now
    for (const { count, perMs } of this.#windows) {
      const first = gone[gone.length - count]
      if (first !== undefined) at = Math.max(at, first + perMs)
    }
    return at
  }

  /** When a call that comes now would leave, behind those that wait before it. */
  #turnAfter(urgent: boolean, now: number): number {
    const before = urgent ? this.#waiting.filter((waiter) => waiter.urgent).length : this.#waiting.length
    const gone = [...this.#gone]
    let at = now
    for (let place = 0; place <= before; place++) {
      at = this.#nextAt(at, gone)
      if (at - now > LONGEST_WAIT_MS) break
      gone.push(at)
    }
    return at
  }

  #count(now: number): void {
    this.#gone.push(now)
    if (this.#gone.length > this.#most * 2) this.#gone.splice(0, this.#gone.length - this.#most)
  }
}
