/** Symbols that are processed in one turn of the event loop. */
const SLICE = 50

/**
 * Processes long lists of symbols in slices. Each turn of the event loop processes one slice, whatever the
 * number of waiting clients, so that a list of thousands delays neither orders nor ticks.
 */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []

  /** Runs `work` for each item, and stops early once `wanted` returns false. */
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
