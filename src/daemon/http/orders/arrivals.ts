import type { Clock, Timer } from '../../../core/time/index.js'

const BEAT_MS = 250
/** A timer beat that is this late means that the process was frozen or its event loop blocked. */
const GAP_MS = 1_000
/** A request that is read this soon after a gap counts as part of it, also when the kernel hands it on late. */
const AFTERMATH_MS = 500
/**
 * Turns of the event loop without a new connection or request after which the backlog counts as read. Node accepts
 * one connection per turn and reads its request in the next.
 */
const QUIET_TURNS = 10
/** The longest time for which requests wait for the end of the backlog. */
const BACKLOG_LIMIT_MS = 10_000

/**
 * Determines when a request was received. Normally that is the moment at which it is read from its socket.
 * During a freeze, requests wait in the kernel, which does not record when they arrived. A request of this
 * backlog therefore counts as received when the gap in the beat of the event loop began. A time that is too
 * early is safe: the service refuses such a request, and its caller can send it again.
 */
export class Arrivals {
  readonly #clock: Clock
  readonly #timer: Timer
  #beatAt: number
  #gapBegan = 0
  #gapEnded = Number.NEGATIVE_INFINITY
  /** Connections and requests so far. */
  #seen = 0
  #backlog: Promise<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#beatAt = clock.monotonic()
    this.#timer = clock.setInterval(() => this.#beat(clock.monotonic()), BEAT_MS)
  }

  /**
   * Resolves when everything that arrived during a freeze has been read, hang-ups included. Undefined when
   * there is nothing to wait for.
   */
  get backlog(): Promise<void> | undefined {
    return this.#backlog
  }

  /** Returns when a request that is read now was received, by {@link Clock.monotonic}. */
  stamp(): number {
    const now = this.#clock.monotonic()
    this.#seen += 1
    // After a freeze, Node may read sockets before the timer of the beat runs.
    this.#noticeGap(now)
    return this.#backlog || now < this.#gapEnded + AFTERMATH_MS ? this.#gapBegan : now
  }

  /** Notes that the server accepted a connection. */
  connected(): void {
    this.#seen += 1
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
    if (!this.#backlog && now >= this.#gapEnded + AFTERMATH_MS) this.#gapBegan = this.#beatAt
    this.#gapEnded = now
    this.#beatAt = now
    this.#backlog ??= this.#readBacklog()
  }

  async #readBacklog(): Promise<void> {
    let quiet = 0
    while (quiet < QUIET_TURNS && this.#clock.monotonic() < this.#gapEnded + BACKLOG_LIMIT_MS) {
      const before = this.#seen
      await new Promise<void>((resolve) => setImmediate(resolve))
      quiet = this.#seen === before ? quiet + 1 : 0
    }
    this.#backlog = undefined
  }
}
