import type { PriceBand } from '../../../market/schema.js'
import type { Clock } from '../../../time/index.js'

/** The band of a quote counts so long: exchanges move bands within the day, and begin each day with new ones. */
const COUNTS_MS = 5 * 60_000

/** The price bands as the last quote of each instrument had them. */
export class PriceBands {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #reported = new Map<string, { band: PriceBand | null; until: number }>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Returns the band; null if the last quote had none, undefined if no quote was asked for in the last minutes. */
  of(key: string): PriceBand | null | undefined {
    const reported = this.#reported.get(key)
    return reported && reported.until > this.#clock.monotonic() ? reported.band : undefined
  }

  /** Notes that quotes were asked for, so that orders do not ask again at once where the broker does not answer. */
  noteAsked(keys: readonly string[]): void {
    for (const key of keys) if (this.of(key) === undefined) this.#note(key, null)
  }

  /** Notes the band of a quote. Brokers send 0 where there is none. */
  note(key: string, { lower, upper }: PriceBand): void {
    this.#note(key, upper > 0 && lower <= upper ? { lower, upper } : null)
  }

  #note(key: string, band: PriceBand | null): void {
    this.#reported.set(key, { band, until: this.#clock.monotonic() + COUNTS_MS })
  }
}
