import { istDate, istDateTime } from '../../../time/index.js'
import type { Contract } from '../../engine/index.js'
import type { SlotTicks } from './ticks.js'

/** Bars that a leg lacks on a day while its run is under way. */
export interface Gap {
  date: string
  leg_id: number
  symbol: string
  missing: number
  /** The start of the first missing bar, `YYYY-MM-DD HH:MM` in Indian time. */
  first: string
}

interface Watched extends Contract {
  id: number
}

/** Counts the bars that the legs of runs lack. A leg whose price is unknown is neither stopped nor filled. */
export class Gaps {
  readonly #gaps = new Map<string, Gap>()
  #before: number | null = null

  constructor(private readonly intervalMs: number) {}

  /** Starts a day: the time between two days is no gap. */
  startDay(): void {
    this.#before = null
  }

  get list(): Gap[] {
    return [...this.#gaps.values()]
  }

  /** Notes the bars of a slot, and those between the slot before and this one. */
  note({ keys, time }: SlotTicks, legs: readonly Watched[]): void {
    const skippedFrom = this.#before === null ? time : this.#before + this.intervalMs
    const skipped = Math.max(0, Math.round((time - skippedFrom) / this.intervalMs))
    this.#before = time
    for (const leg of legs) {
      const isMissing = !keys.has(`${leg.exchange}:${leg.symbol}`)
      const missing = skipped + (isMissing ? 1 : 0)
      if (missing > 0) this.#add(leg, missing, skipped > 0 ? skippedFrom : time)
    }
  }

  #add({ id, symbol }: Watched, missing: number, first: number): void {
    const date = istDate(first)
    const key = `${date} ${id} ${symbol}`
    const known = this.#gaps.get(key)
    if (known) known.missing += missing
    else this.#gaps.set(key, { date, leg_id: id, symbol, missing, first: istDateTime(first).slice(0, 16) })
  }
}
