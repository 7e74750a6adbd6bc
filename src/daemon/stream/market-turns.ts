/** Symbols that one turn of the event loop may take up. */
const SLICE = 50

/**
 * Lets long lists of symbols proceed in slices, one in each turn of the event loop however many clients wait, so that a
 * list of thousands holds up neither orders nor ticks.
 */
export class Slices {
  readonly #waiting: (() => void)[] = []

  /** Does the work for each item, and stops early once `wanted` says that nobody waits for the rest. */
  async each<T>(items: readonly T[], wanted: () => boolean, work: (item: T) => void): Promise<void> {
    for (let from = 0; from < items.length && wanted(); from += SLICE) {
      if (items.length > SLICE) await this.#turn()
      if (wanted()) for (const item of items.slice(from, from + SLICE)) work(item)
    }
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#next())
    })
  }

  #next(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(() => this.#next())
  }
}
