/**
 * Runs work on the same key one after the other, and work on different keys in parallel. Every caller takes
 * several keys in the same order, so that two callers cannot deadlock.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>()
  /** The work that later work waits for, by key. */
  readonly #holds = new Map<string, Set<Promise<unknown>>>()
  /** Those who wait until work on a key stands aside. */
  readonly #asking = new Map<string, (() => void)[]>()
  /** The keys whose work stands aside now. */
  readonly #aside = new Set<string>()

  run<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const sortedKeys = [...new Set(keys)].sort()
    const nested = sortedKeys.reduceRight<() => Promise<T>>((inner, key) => () => this.#one(key, inner), work)
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

  /**
   * Asks work on a key to stand aside before its next step. Resolves when it does, or has ended; undefined if no work runs or
   * waits there.
   */
  goFirst(key: string): Promise<unknown> | undefined {
    const end = this.busy(key)
    if (!end) return undefined
    const aside = new Promise<void>((resolve) => {
      const asking = this.#asking.get(key) ?? []
      this.#asking.set(key, asking)
      asking.push(resolve)
      if (this.#aside.has(key)) resolve()
    })
    return Promise.race([end, aside])
  }

  /** Returns whether somebody asks work on these keys to stand aside, or holds one of them. */
  isAsked(keys: readonly string[]): boolean {
    return keys.some((key) => this.#asking.has(key) || this.#holds.has(key))
  }

  /**
   * Stands aside, between two steps of work on these keys: at least until `until`, and as long as others ask for it or hold a key.
   * @param pause the time that those who asked get to begin
   */
  async standAside(
    keys: readonly string[],
    until: Promise<unknown>,
    pause: () => Promise<unknown>,
  ): Promise<void> {
    for (const key of keys) this.#aside.add(key)
    do {
      const asking = keys.flatMap((key) => this.#asking.get(key) ?? [])
      for (const key of keys) this.#asking.delete(key)
      for (const resolve of asking) resolve()
      await Promise.all([until, asking.length > 0 && pause()])
      await Promise.allSettled(keys.flatMap((key) => [...(this.#holds.get(key) ?? [])]))
    } while (this.isAsked(keys))
    for (const key of keys) this.#aside.delete(key)
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
      if (this.#tails.get(key) !== tail) return
      this.#tails.delete(key)
      this.#asking.delete(key)
    })
    return result
  }
}
