import type { Clock, Timer } from '../../../core/time/index.js'

const BEAT_MS = 250
/** A timer beat that is this late means that the process was frozen or its event loop blocked. */
const GAP_MS = 1_000
/**
 * The time after a gap during which the service still reads requests from the gap: Node accepts connections
 * over several turns.
 */
const BACKLOG_MS = 500

/**
 * Determines when a request was received. Normally that is the moment at which it is read from its socket.
 * During a freeze, requests wait in the kernel, which does not record when they arrived. A request that is
 * read right after a gap in the beat of the event loop therefore counts as received when the gap began. A
 * time that is too early is safe: the service refuses such a request, and its caller can send it again.
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

  /** Returns when a request that is read now was received, by {@link Clock.monotonic}. */
  stamp(): number {
    const now = this.#clock.monotonic()
    // After a freeze, Node may read sockets before the timer of the beat runs.
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
