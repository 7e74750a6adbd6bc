import type { PriceType } from '../schema.js'

/** How many orders are remembered: more than a person and their programs change in a day. */
const REMEMBERED = 10_000

/**
 * The price types that orders were changed to here, by our references. The journal stores none, so a restart forgets them: an
 * order that was placed as MARKET and changed to LIMIT before it counts as MARKET again, and one that was changed the other way
 * as the broker shows it. A change in the broker's own app, or one whose answer was lost, is not known here either.
 */
export class ChangedTypes {
  readonly #types = new Map<string, PriceType>()

  note(orderRef: string, type: PriceType): void {
    // The order of a map is that of its insertions, so the first one is the one that was changed longest ago.
    this.#types.delete(orderRef)
    this.#types.set(orderRef, type)
    const [oldest] = this.#types.keys()
    if (oldest !== undefined && this.#types.size > REMEMBERED) this.#types.delete(oldest)
  }

  /** Returns the types that orders have since their last change, by the types that they were placed with. */
  over(placed: ReadonlyMap<string, PriceType>): ReadonlyMap<string, PriceType> {
    return new Map([...placed].map(([orderRef, type]) => [orderRef, this.#types.get(orderRef) ?? type]))
  }
}
