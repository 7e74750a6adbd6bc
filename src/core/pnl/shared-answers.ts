import type { Clock } from '../time/index.js'

interface Entry<Value> {
  value: Promise<Value>
  /** The monotonic reading at which the answer must be read again; infinity while it is being read, or for good. */
  until: number
}

/**
 * Answers that several callers share: callers that ask while an answer is being read wait for the same one, and
 * later callers get it from memory until it is stale. A failure is not kept. The oldest answers make room.
 */
export class SharedAnswers<Value> {
  readonly #clock: Clock
  readonly #most: number
  readonly #entries = new Map<string, Entry<Value>>()

  constructor(clock: Clock, most: number) {
    this.#clock = clock
    this.#most = most
  }

  /** Returns whether a fresh answer is in memory or being read. */
  has(key: string): boolean {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#clock.monotonic() < entry.until
  }

  /**
   * Returns the answer in memory, or reads it. `until` says, once it is read, until which monotonic reading it is fresh.
   */
  get(key: string, read: () => Promise<Value>, until: (value: Value) => number): Promise<Value> {
    const known = this.#entries.get(key)
    if (known && this.#clock.monotonic() < known.until) return known.value
    const entry: Entry<Value> = { value: read(), until: Number.POSITIVE_INFINITY }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    this.#makeRoom()
    entry.value.then(
      (value) => {
        entry.until = until(value)
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry.value
  }

  #makeRoom(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) return
      this.#entries.delete(key)
    }
  }
}
