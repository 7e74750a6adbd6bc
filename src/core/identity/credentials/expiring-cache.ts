/**
 * A map of bounded size whose entries expire; the oldest entry makes room for a new one. Its times are monotonic readings.
 */
export class ExpiringCache<V> {
  readonly #entries = new Map<string, { value: V; endsAt: number }>()
  readonly #maxEntries: number
  readonly #lifetimeMs: number

  constructor(options: { maxEntries: number; lifetimeMs: number }) {
    this.#maxEntries = options.maxEntries
    this.#lifetimeMs = options.lifetimeMs
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string, elapsed: number): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (elapsed < entry.endsAt) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: V, elapsed: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, endsAt: elapsed + this.#lifetimeMs })
    if (this.#entries.size <= this.#maxEntries) return
    const oldest = this.#entries.keys().next()
    if (!oldest.done) this.#entries.delete(oldest.value)
  }

  clear(): void {
    this.#entries.clear()
  }
}
