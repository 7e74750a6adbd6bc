const TICK_MS = 1000
/** A program that stood still for longer than this has slept: the user has not looked at the screen meanwhile. */
const SLEPT_MS = 10_000

/**
 * Notices that the program, or the whole machine, was asleep: the clock of the day went on, and no tick came. A monotonic
 * clock may stand still on a machine that sleeps.
 */
export class SleepWatch {
  readonly #onSlept: () => void
  #at = 0
  #timer: NodeJS.Timeout | undefined

  /** @param onSlept called after each sleep while it watches */
  constructor(onSlept: () => void) {
    this.#onSlept = onSlept
  }

  start(): void {
    if (this.#timer !== undefined) return
    this.#at = Date.now()
    this.#timer = setInterval(() => this.check(), TICK_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Looks now: after a sleep other timers may be due before the next tick. */
  check(): void {
    if (this.#timer === undefined) return
    const before = this.#at
    this.#at = Date.now()
    if (this.#at - before > TICK_MS + SLEPT_MS) this.#onSlept()
  }
}
