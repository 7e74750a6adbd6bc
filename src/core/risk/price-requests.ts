import { type SymbolRef, symbolKey } from '../market/schema.js'
import type { Clock } from '../time/index.js'

/** How long an order waits for a price that only the default rules need. */
const PATIENCE_MS = 1000

/**
 * Requests prices for orders that can leave without one. All orders of a symbol that need a price at the same
 * time share one request and wait for one second at most. While the source stays silent, later orders of the
 * symbol do not wait again.
 */
export class PriceRequests {
  readonly #open = new Map<string, Promise<number | undefined>>()

  constructor(
    private readonly clock: Clock,
    private readonly quote: (ref: SymbolRef) => Promise<number | undefined>,
  ) {}

  /** Returns the price, or undefined when none came in time. Never rejects. */
  ask(ref: SymbolRef): Promise<number | undefined> {
    const key = symbolKey(ref)
    const open = this.#open.get(key)
    if (open) return open
    const answer = this.quote(ref)
      .catch(() => undefined)
      .finally(() => this.#open.delete(key))
    const inTime = this.#within(answer)
    this.#open.set(key, inTime)
    return inTime
  }

  #within(answer: Promise<number | undefined>): Promise<number | undefined> {
    return new Promise((resolve) => {
      const timer = this.clock.setTimeout(() => resolve(undefined), PATIENCE_MS)
      void answer.then((price) => {
        this.clock.clear(timer)
        resolve(price)
      })
    })
  }
}
