/**
 * Runs work on the same key one after the other, and work on different keys in parallel. Every caller takes
 * several keys in the same order, so that two callers cannot deadlock.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>()
  /** The work that later work waits for, by key. */
  readonly #holds = new Map<string, Set<Promise<unknown>>>()

  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const wanted = [...new Set(keys)].sort()
    const nested = wanted.reduceRight<() => Promise<T>>((inner, key) => () => this.#one(key, inner), work)
    return nested()
  }

  /** Makes later work on a key wait also for something that waits for nothing itself. */
  hold(key: string, until: Promise<unknown>): void {
    const holds = this.#holds.get(key) ?? new Set()
    this.#holds.set(key, holds.add(until))
    const release = () => {
      holds.delete(until)
      if (holds.size === 0 && this.#holds.get(key) === holds) this.#holds.delete(key)
    }
    until.then(release, release)
  }

  /** Returns the end of all work that runs or waits on a key; undefined if there is none. */
  busy(key: string): Promise<unknown> | undefined {
    return this.#tails.get(key)
  }

  #one<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = Promise.allSettled([this.#tails.get(key), ...(this.#holds.get(key) ?? [])])
    const result = before.then(work)
    const tail = result.then(
      () => undefined,
      () => undefined,
    )
    this.#tails.set(key, tail)
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    return result
  }
}
