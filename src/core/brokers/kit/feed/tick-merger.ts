import type { Tick } from '../../../market/schema.js'
import { faultOfTick } from './credible-tick.js'

/** What one packet tells of an instrument. A field that is absent or undefined was not in it. */
export type TickPart = Partial<Omit<Tick, 'symbol' | 'exchange'>>

/**
 * Puts together what a feed sends of an instrument in parts, by token: a price in one packet, open interest in another, the
 * previous close once after the subscription. A part changes only what it tells.
 */
export class TickMerger<Token> {
  readonly #known = new Map<Token, TickPart>()

  /**
   * Adds a part. One that cannot be true is left out: what it tells may not come again.
   * @returns all that is known of the instrument; undefined as long as its price is not, and for a part that is left out
   */
  merge(token: Token, part: TickPart): (TickPart & { ltp: number }) | undefined {
    if (faultOfTick(part) !== undefined) return undefined
    const reported = Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined))
    const known: TickPart = { ...this.#known.get(token), ...reported }
    this.#known.set(token, known)
    const { ltp } = known
    return ltp === undefined ? undefined : { ...known, ltp }
  }

  /** Forgets an instrument whose subscription ended. */
  forget(token: Token): void {
    this.#known.delete(token)
  }

  /** Forgets everything: after a new connection, or on a new day, the feed sends it again. */
  clear(): void {
    this.#known.clear()
  }
}
