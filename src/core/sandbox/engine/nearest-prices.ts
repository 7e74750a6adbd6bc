import type { Money } from '../../money/index.js'
import { actsAt, type Terms } from './matching.js'

/**
 * The prices at which the orders that wait on one symbol act next, on either side. An order that leaves does not move
 * them back, so a price may count as reached although nothing acts at it. The opposite never happens.
 */
export class NearestPrices {
  /** An order acts at this price and below. */
  #below: Money | undefined
  /** An order acts at this price and above. */
  #above: Money | undefined
  #any = false

  add(order: Terms): void {
    const acts = actsAt(order)
    if (acts === 'any') {
      this.#any = true
    } else if ('upTo' in acts) {
      if (this.#below === undefined || acts.upTo > this.#below) this.#below = acts.upTo
    } else if (this.#above === undefined || acts.from < this.#above) {
      this.#above = acts.from
    }
  }

  /** Returns whether an order may act at a last price. */
  reachedBy(ltp: Money): boolean {
    return (
      this.#any ||
      (this.#below !== undefined && ltp <= this.#below) ||
      (this.#above !== undefined && ltp >= this.#above)
    )
  }
}
