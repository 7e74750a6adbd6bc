import type { PriceBand } from '../../market/schema.js'
import { type Clock, sessionDate } from '../../time/index.js'
import type { KiteQuote } from './wire.js'

/** Indian exchanges begin their day, with its price bands, at this time. */
const DAY_BEGINS = '09:00'

/** The price bands of the day, as the last quote of each instrument told them. */
export class PriceBands {
  readonly #clock: Pick<Clock, 'now'>
  readonly #bands = new Map<string, PriceBand | null>()
  #day = ''

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Returns the band; null if no quote told it, undefined if no quote was asked for on this day. */
  of(key: string): PriceBand | null | undefined {
    this.#beginDay()
    return this.#bands.get(key)
  }

  /** Notes that quotes were asked for: an order that needs a band asks once a day, also if Kite does not answer. */
  noteAsked(keys: readonly string[]): void {
    this.#beginDay()
    for (const key of keys) if (!this.#bands.has(key)) this.#bands.set(key, null)
  }

  /** Notes the band of a quote. Kite sends 0 where there is none. */
  note(key: string, { lower_circuit_limit: lower, upper_circuit_limit: upper }: KiteQuote): void {
    this.#beginDay()
    this.#bands.set(key, upper > 0 && lower <= upper ? { lower, upper } : null)
  }

  #beginDay(): void {
    const day = sessionDate(this.#clock.now(), DAY_BEGINS)
    if (day === this.#day) return
    this.#day = day
    this.#bands.clear()
  }
}
