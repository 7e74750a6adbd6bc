import type { Tick } from '../../../market/schema.js'
import { brokenFields, credibleBook } from './credible-tick.js'

/** What one packet tells of an instrument. A field that is absent or undefined was not in it. */
export type TickPart = Partial<Omit<Tick, 'symbol' | 'exchange'>>

/**
 * Puts together what a feed sends of an instrument in parts, by token: a price in one packet, open interest in another, the
 * previous close once after the subscription. A part changes only what it tells.
 */
export class TickMerger<Token> {
  readonly #known = new Map<Token, TickPart>()

  /**
   * Adds a part. What cannot be true of it is left out, as in {@link credible}, and what was known before stays.
   * @returns all that is known of the instrument; undefined as long as its price is not, and for a part that is left out whole
   */
  merge(token: Token, part: TickPart): (TickPart & { ltp: number }) | undefined {
    const told = credibleIn(part)
    if (!told) return undefined
    const reported = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined))
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

/** Returns what of a part can be true; undefined if its price cannot be, or nothing of it. */
function credibleIn(part: TickPart): TickPart | undefined {
  const broken = brokenFields(part)
  if (broken.length === 0) return part
  if (broken.includes('ltp')) return undefined
  const without = Object.fromEntries(broken.map((field) => [field, undefined]))
  const told: TickPart = { ...part, ...without, ...(part.depth && { depth: credibleBook(part.depth) }) }
  return Object.values(told).some((value) => value !== undefined) ? told : undefined
}
