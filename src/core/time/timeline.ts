import { SECOND_MS } from './durations.js'

/** A stretch of elapsed time in which the wall clock was not stepped. */
interface Stretch {
  /** The monotonic reading at which it began. */
  from: number
  /** The difference between the wall clock and the monotonic reading in it. */
  offset: number
}

/** A smaller difference is the drift that NTP corrects while the clock runs on. */
const DRIFT_MS = 2 * SECOND_MS
/** The number of steps that are remembered. */
const MAX_STRETCHES = 50

/**
 * The steps of the wall clock since the process began, so that the age of a stored instant is the time that has really
 * passed: an instant of before a step is read on the clock that was set then.
 */
export class Timeline {
  /** Oldest first. The first one also stands for everything before it. */
  readonly #stretches: [Stretch, ...Stretch[]]
  readonly #began: number

  constructor(wall: number, monotonic: number) {
    this.#began = monotonic
    this.#stretches = [{ from: monotonic, offset: wall - monotonic }]
  }

  /** Returns whether two readings of one moment are too far apart for the drift of a clock. */
  isStepped(wall: number, monotonic: number): boolean {
    return Math.abs(wall - monotonic - this.#newest.offset) >= DRIFT_MS
  }

  /** Notes both readings of one moment. */
  note(wall: number, monotonic: number): void {
    const difference = wall - monotonic - this.#newest.offset
    if (this.isStepped(wall, monotonic)) this.step(difference, monotonic)
    else this.#newest.offset += difference
  }

  /** Notes a step of the wall clock. */
  step(ms: number, monotonic: number): void {
    this.#stretches.push({ from: monotonic, offset: this.#newest.offset + ms })
    if (this.#stretches.length > MAX_STRETCHES) this.#stretches.splice(1, 1)
  }

  /**
   * Returns how long ago an instant of the wall clock was.
   * @param ahead what to return for one that lies ahead: the clock was set back before the process began
   */
  since(instant: number, monotonic: number, ahead = monotonic - this.#began): number {
    let until = monotonic
    for (let index = this.#stretches.length - 1; index >= 0; index--) {
      const { from, offset } = this.#stretches[index] ?? this.#stretches[0]
      const at = instant - offset
      const isWithin = at <= until + DRIFT_MS && (index === 0 || at >= from - DRIFT_MS)
      if (isWithin) return Math.max(0, monotonic - at)
      until = from
    }
    return ahead
  }

  /** Returns the instant that the wall clock showed a time ago. */
  ago(ms: number, monotonic: number): number {
    const at = monotonic - ms
    const { offset } = this.#stretches.findLast(({ from }) => from <= at) ?? this.#stretches[0]
    return at + offset
  }

  get #newest(): Stretch {
    return this.#stretches.at(-1) ?? this.#stretches[0]
  }
}
