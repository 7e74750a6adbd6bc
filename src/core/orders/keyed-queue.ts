/**
 * Work on the same thing, one after the other; work on different things side by side. Several keys are taken in
 * one order by everybody, so that two callers cannot wait for each other.
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
