import type { Clock, Timer } from '../../../time/index.js'

/** The shortest and the longest pause between two slices. Requests, among them orders, are served in it. */
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 100
/** A pause is this many times as long as the slice before it, so most of the time is left for requests. */
const PAUSE_FACTOR = 3

/**
 * Works through items in slices with a pause after each, so that thousands of items delay no order. The
 * first slice runs at once.
 */
export class PacedQueue<T> {
  readonly #clock: Clock
  readonly #slice: number
  readonly #work: (item: T) => void
  #waiting: T[] = []
  #timer: Timer | undefined

  /** @param slice how many items run without a pause */
  constructor(clock: Clock, slice: number, work: (item: T) => void) {
    this.#clock = clock
    this.#slice = slice
    this.#work = work
  }

  get idle(): boolean {
    return this.#timer === undefined
  }

  add(items: readonly T[]): void {
    for (const item of items) this.#waiting.push(item)
    if (this.idle) this.#next()
  }

  clear(): void {
    this.#clock.clear(this.#timer)
    this.#timer = undefined
    this.#waiting = []
  }

  #next(): void {
    this.#timer = undefined
    const began = this.#clock.monotonic()
    for (const item of this.#waiting.splice(0, this.#slice)) this.#work(item)
    if (this.#waiting.length === 0) return
    const pause = PAUSE_FACTOR * (this.#clock.monotonic() - began)
    this.#timer = this.#clock.setTimeout(
      () => this.#next(),
      Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pause)),
    )
  }
}
