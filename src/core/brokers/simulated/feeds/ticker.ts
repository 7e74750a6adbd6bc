import type { Clock, Timer } from '../../../time/index.js'

/**
 * One timer for everything that runs once per second. It runs only while there are listeners. Each tick is
 * scheduled for the start of the next second, so the timer never drifts.
 */
export class Ticker {
  readonly #clock: Clock
  readonly #listeners = new Set<(second: number) => void>()
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(listener: (second: number) => void): void {
    this.#listeners.add(listener)
    if (!this.#timer) this.#schedule()
  }

  remove(listener: (second: number) => void): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    this.#clock.clear(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimeout(() => this.#fire(), 1000 - (this.#clock.now() % 1000))
  }

  #fire(): void {
    this.#schedule()
    const second = Math.floor(this.#clock.now() / 1000)
    for (const listener of [...this.#listeners]) listener(second)
  }
}
