import type { MinutePath, PathSource } from '../market/minute-path.js'

/** From an instant on (epoch milliseconds) a symbol trades at a price. */
export interface ScriptedStep {
  at: number
  price: number
}

const MINUTE = 60

/** Prices as somebody wrote them down: each holds from its second to the next. Before the first, the first holds. */
export class PriceScript implements PathSource {
  readonly #seconds: readonly number[]
  readonly #prices: readonly number[]

  /** @param steps at least one, in the order of time; of those within one second the last counts */
  constructor(steps: readonly ScriptedStep[]) {
    if (steps.length === 0) throw new RangeError('a price script needs at least one step')
    const bySecond = new Map(steps.map(({ at, price }) => [Math.floor(at / 1000), price]))
    this.#seconds = [...bySecond.keys()]
    this.#prices = [...bySecond.values()]
  }

  /** The price at a second. */
  at(second: number): number {
    const index = this.#seconds.findLastIndex((from) => from <= second)
    return this.#prices[Math.max(0, index)] ?? 0
  }

  /** A minute of it, for what follows this price: within the minute, it moves in straight lines. */
  path(minute: number): MinutePath {
    const from = minute * MINUTE
    const inside = this.#prices.filter(
      (_, index) => Math.floor((this.#seconds[index] ?? 0) / MINUTE) === minute,
    )
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
}
