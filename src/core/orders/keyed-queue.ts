/**
 * Runs work on the same key one after the other, and work on different keys in parallel. Every caller takes
 * several keys in the same order, so that two callers cannot deadlock.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>()

  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const wanted = [...new Set(keys)].sort()
    const nested = wanted.reduceRight<() => Promise<T>>((inner, key) => () => this.#one(key, inner), work)
    return nested()
  }

  #one<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve()
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
