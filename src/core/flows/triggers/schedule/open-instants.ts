import { latestFire, nextFire, type Schedule } from './schedule.js'

interface Range {
  /** Both ends are excluded. */
  after: number
  before: number
}

/** Most ranges kept. Beyond it, the oldest range counts as fired, so that nothing fires twice. */
const MAX_RANGES = 16

/**
 * The instants of a schedule that have not fired. Usually these are all after the last one. When the clock
 * jumps forwards, it leaves a range of them behind, which fire when the clock is set back.
 */
export class OpenInstants {
  readonly #schedule: Schedule
  readonly #anchor: number
  #ranges: Range[] = [{ after: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY }]

  constructor(schedule: Schedule, anchor: number) {
    this.#schedule = schedule
    this.#anchor = anchor
  }

  /** Returns the first open instant after another instant. */
  next(after: number): number | undefined {
    for (const range of this.#ranges) {
      if (range.before <= after) continue
      const instant = nextFire(this.#schedule, {
        after: Math.max(after, range.after),
        anchor: this.#anchor,
      })
      if (instant !== undefined && instant < range.before) return instant
    }
    return undefined
  }

  /** Returns the last open instant up to and including another instant. */
  latest(upTo: number): number | undefined {
    for (const range of this.#ranges.toReversed()) {
      if (range.after >= upTo) continue
      const limit = Math.min(upTo, range.before - 1)
      const instant = latestFire(this.#schedule, { upTo: limit, anchor: this.#anchor })
      if (instant !== undefined && instant > range.after) return instant
    }
    return undefined
  }

  /** Marks an instant as fired. */
  close(instant: number): void {
    const split = this.#ranges.flatMap(({ after, before }) =>
      instant > after && instant < before
        ? [
            { after, before: instant },
            { after: instant, before },
          ]
        : [{ after, before }],
    )
    this.#ranges = split.filter((range) => this.#hasInstant(range)).slice(-MAX_RANGES)
  }

  #hasInstant({ after, before }: Range): boolean {
    if (before === Number.POSITIVE_INFINITY) return true
    const last = latestFire(this.#schedule, { upTo: before - 1, anchor: this.#anchor })
    return last !== undefined && last > after
  }
}
