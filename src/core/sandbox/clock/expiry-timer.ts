import type { Clock, Timer } from '../../time/index.js'

/** The longest wait between two looks at the clock, so that jumps of the clock are noticed. */
const LOOK_MS = 60_000

/** Wakes the sandbox when the next order ends by its validity. The due times are in the orders, so a restart loses none. */
export class ExpiryTimer {
  #timer: Timer | undefined
  #at: number | undefined

  constructor(
    private readonly clock: Clock,
    private readonly onDue: () => void,
  ) {}

  /** @param at when the next order ends, in epoch milliseconds; undefined if none does */
  follow(at: number | undefined): void {
    if (at === this.#at) return
    this.#at = at
    this.#arm()
  }

  #arm(): void {
    this.clock.clear(this.#timer)
    this.#timer = undefined
    if (this.#at === undefined) return
    const delay = Math.min(LOOK_MS, Math.max(0, this.#at - this.clock.now()))
    this.#timer = this.clock.setTimeout(() => this.#wake(), delay)
  }

  #wake(): void {
    if (this.#at === undefined) return
    if (this.clock.now() < this.#at) {
      this.#arm()
      return
    }
    this.#at = undefined
    this.onDue()
  }
}
