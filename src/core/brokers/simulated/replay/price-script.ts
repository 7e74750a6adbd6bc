import type { MinutePath, PathSource } from '../market/minute-path.js'

/** A price that applies from an instant on (epoch milliseconds). */
export interface ScriptedStep {
  at: number
  price: number
}

const MINUTE = 60

/**
 * Scripted prices: each applies from its second until the next. The first one also applies before its time.
 */
export class PriceScript implements PathSource {
  readonly #seconds: readonly number[]
  readonly #prices: readonly number[]

  /** @param steps at least one, in chronological order; within one second the last step wins */
  constructor(steps: readonly ScriptedStep[]) {
    if (steps.length === 0) throw new RangeError('a price script needs at least one step')
    const bySecond = new Map(steps.map(({ at, price }) => [Math.floor(at / 1000), price]))
    this.#seconds = [...bySecond.keys()]
    this.#prices = [...bySecond.values()]
  }

  /** Returns the price at a second. */
  at(second: number): number {
    return this.#prices[Math.max(0, this.#after(second) - 1)] ?? 0
  }

  /**
   * Returns one minute of the script for instruments that follow it; within the minute they move in straight
   * lines.
   */
  path(minute: number): MinutePath {
    const from = minute * MINUTE
    const inside = this.#prices.slice(this.#after(from - 1), this.#after(from + MINUTE - 1))
    const [open, close] = [this.at(from), this.at(from + MINUTE - 1)]
    return {
      minute,
      open,
      close,
      high: Math.max(open, close, ...inside),
      low: Math.min(open, close, ...inside),
      highSecond: 20,
      lowSecond: 40,
      seed: 0,
      volume: undefined,
      traded: true,
    }
  }

  /** Returns the index of the first step after a second. */
  #after(second: number): number {
    let [low, high] = [0, this.#seconds.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#seconds[middle] ?? 0) <= second) low = middle + 1
      else high = middle
    }
    return low
  }
}
