import { type Money, toRupees } from '../../../money/index.js'
import { timeText } from './trades.js'

/** The profit so far at the end of a bar, and its distance from the highest one before: 0 or negative. Rupees. */
export interface EquityPoint {
  time: string
  pnl: number
  drawdown: number
}

/** Follows the profit of a replay at the end of each bar. */
export class Equity {
  readonly #points: { at: number; total: Money; drawdown: Money }[] = []
  maxDrawdown: Money = 0n
  #highest: Money = 0n
  #deepestAt: number | null = null

  get deepest(): string | null {
    return this.#deepestAt === null ? null : timeText(this.#deepestAt)
  }

  /** Builds the points. A sweep does without them. */
  points(): EquityPoint[] {
    return this.#points.map(({ at, drawdown, total }) => ({
      time: timeText(at),
      pnl: toRupees(total),
      drawdown: toRupees(drawdown),
    }))
  }

  note(at: number, total: Money): void {
    if (total > this.#highest) this.#highest = total
    const drawdown = total - this.#highest
    if (drawdown < this.maxDrawdown) {
      this.maxDrawdown = drawdown
      this.#deepestAt = at
    }
    this.#points.push({ at, total, drawdown })
  }
}
