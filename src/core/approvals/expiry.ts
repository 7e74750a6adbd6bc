import type { Clock, Timer } from '../time/index.js'

/** The longest single wait: a timer cannot run for a month, and a machine that slept wakes up late. */
const LONGEST_WAIT_MS = 3_600_000
/** The wait after a failed sweep. */
const RETRY_MS = 5_000

/** Wakes up when the next pending order expires. It does not poll while nothing can expire. */
export class ExpiryTimer {
  readonly #clock: Clock
  readonly #sweep: () => Promise<number | undefined>
  readonly #failed: (fault: unknown) => void
  #timer: Timer | undefined
  /** A monotonic reading. */
  #dueAt = Number.POSITIVE_INFINITY
  #stopped = false

  /** @param sweep expires the due rows and resolves with the time until the next row is due */
  constructor(clock: Clock, sweep: () => Promise<number | undefined>, failed: (fault: unknown) => void) {
    this.#clock = clock
    this.#sweep = sweep
    this.#failed = failed
  }

  /** Makes sure that the timer wakes up for a row that expires after this time. */
  watch(leftMs: number | undefined): void {
    const dueAt = this.#clock.monotonic() + (leftMs ?? Number.POSITIVE_INFINITY)
    if (this.#stopped || dueAt >= this.#dueAt) return
    this.#dueAt = dueAt
    this.#arm()
  }

  stop(): void {
    this.#stopped = true
    this.#clock.clear(this.#timer)
  }

  #arm(): void {
    this.#clock.clear(this.#timer)
    const delayMs = Math.min(Math.max(this.#dueAt - this.#clock.monotonic(), 0), LONGEST_WAIT_MS)
    this.#timer = this.#clock.setTimeout(() => {
      if (this.#clock.monotonic() < this.#dueAt) this.#arm()
      else void this.#expire()
    }, delayMs)
  }

  async #expire(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY
    try {
      this.watch(await this.#sweep())
    } catch (fault) {
      this.#failed(fault)
      this.watch(RETRY_MS)
    }
  }
}
