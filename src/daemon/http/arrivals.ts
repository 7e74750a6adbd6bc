import type { Clock, Timer } from '../../core/time/index.js'

const BEAT_MS = 250
/** A beat this late means that the process was frozen, or its event loop blocked. */
const GAP_MS = 1_000
/** How long after a gap requests are still read that came during it: connections are accepted over several turns. */
const BACKLOG_MS = 500

/**
 * Says when a request was received. A request that is read from its socket without delay was received now. During a
 * freeze requests wait in the kernel, which keeps no time for them: each request that is read right after a gap in the
 * beat of the event loop counts as received when the gap began. Too early is safe: such a request is refused, and
 * its caller can send it again.
 */
export class Arrivals {
  readonly #clock: Clock
  readonly #timer: Timer
  #beatAt: number
  #gapBegan = 0
  #backlogUntil = Number.NEGATIVE_INFINITY

  constructor(clock: Clock) {
    this.#clock = clock
    this.#beatAt = clock.monotonic()
    this.#timer = clock.setInterval(() => this.#beat(clock.monotonic()), BEAT_MS)
  }

  /** When a request that is read at this moment was received, by {@link Clock.monotonic}. */
  stamp(): number {
    const now = this.#clock.monotonic()
    // After a freeze sockets may be read before the timer of the beat runs.
    this.#noticeGap(now)
    return now < this.#backlogUntil ? this.#gapBegan : now
  }

  close(): void {
    this.#clock.clear(this.#timer)
  }

  #beat(now: number): void {
    this.#noticeGap(now)
    this.#beatAt = now
  }

  #noticeGap(now: number): void {
    if (now - this.#beatAt <= GAP_MS) return
    if (now >= this.#backlogUntil) this.#gapBegan = this.#beatAt
    this.#backlogUntil = now + BACKLOG_MS
    this.#beatAt = now
  }
}
