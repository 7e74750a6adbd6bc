import { latestFire, nextFire, type Schedule } from './schedule.js'

interface Stretch {
  /** Both ends excluded. */
  after: number
  before: number
}

/** Stretches kept: beyond it the oldest counts as fired, so that nothing can fire twice. */
const KEPT_STRETCHES = 16

/**
 * Which instants of a schedule have not been fired. Usually these are all after the last; a clock that leaps
 * forwards leaves a stretch of them behind, which come for real when it is set back.
 */
export class OpenInstants {
  readonly #schedule: Schedule
  readonly #anchor: number
  #stretches: Stretch[] = [{ after: Number.NEGATIVE_INFINITY, before: Number.POSITIVE_INFINITY }]

  constructor(schedule: Schedule, anchor: number) {
    this.#schedule = schedule
    this.#anchor = anchor
  }

  /** The first open instant after another. */
  next(after: number): number | undefined {
    for (const stretch of this.#stretches) {
      if (stretch.before <= after) continue
      const instant = nextFire(this.#schedule, {
        after: Math.max(after, stretch.after),
        anchor: this.#anchor,
      })
      if (instant !== undefined && instant < stretch.before) return instant
    }
    return undefined
  }

  /** The last open instant up to and including another. */
  latest(upTo: number): number | undefined {
    for (const stretch of this.#stretches.toReversed()) {
      if (stretch.after >= upTo) continue
      const limit = Math.min(upTo, stretch.before - 1)
      const instant = latestFire(this.#schedule, { upTo: limit, anchor: this.#anchor })
      if (instant !== undefined && instant > stretch.after) return instant
    }
    return undefined
  }

  /** An instant that is open no more. */
  close(instant: number): void {
    const split = this.#stretches.flatMap(({ after, before }) =>
      instant > after && instant < before
        ? [
            { after, before: instant },
            { after: instant, before },
          ]
        : [{ after, before }],
    )
    this.#stretches = split.filter((stretch) => this.#holdsAny(stretch)).slice(-KEPT_STRETCHES)
  }

  #holdsAny({ after, before }: Stretch): boolean {
    if (before === Number.POSITIVE_INFINITY) return true
    const last = latestFire(this.#schedule, { upTo: before - 1, anchor: this.#anchor })
    return last !== undefined && last > after
  }
}
