import type { RateWindow } from '../../core/config/index.js'
import { randomHex, sha256Hex } from '../../core/secrets/index.js'
import type { Clock } from '../../core/time/index.js'

/** The most callers that have a counter of their own. The least recently used one is forgotten first. */
const MAX_KEYS = 10_000
/** The number of counters that forgotten callers share. */
const SHARED_COUNTERS = 16_384

/** The times of the calls in the longest window, oldest first. */
interface Calls {
  at: number[]
  /** The calls before this index have left the longest window. It moves forward, so the array need not shift. */
  head: number
  /** The calls before this index come from a shared counter, which still has them. */
  inherited: number
}

/**
 * A sliding-window limit: in every window, at most `count` calls are allowed in the last `perMs`
 * milliseconds. A refused call is not counted.
 *
 * The memory is bounded, and no caller gets a fresh start by making the limiter forget it: the calls of a
 * forgotten counter move to one of a fixed number of shared counters, and a caller without a counter starts
 * with the calls of its shared one. So a caller may be counted too high, while more callers than
 * {@link MAX_KEYS} are active, and never too low.
 */
export class MovingWindowLimiter {
  readonly #calls = new Map<string, Calls>()
  readonly #shared = new Map<number, readonly number[]>()
  /** Keeps callers from choosing the shared counter of somebody else. */
  readonly #salt = randomHex(16)
  readonly #longestMs: number
  readonly #largestCount: number
  #newest: string | undefined

  constructor(
    private readonly windows: readonly RateWindow[],
    private readonly clock: Clock,
    private readonly bounds = { keys: MAX_KEYS, sharedCounters: SHARED_COUNTERS },
  ) {
    this.#longestMs = Math.max(...windows.map((window) => window.perMs))
    this.#largestCount = Math.max(...windows.map((window) => window.count))
  }

  /** Counts a call. @returns 0 when it may pass, otherwise the milliseconds until the next one may */
  take(key: string): number {
    const wait = this.wait(key)
    if (wait === 0) this.#of(key, this.clock.monotonic()).at.push(this.clock.monotonic())
    return wait
  }

  /** Returns the milliseconds until a call may pass, and 0 when it may now. Counts nothing. */
  wait(key: string): number {
    const now = this.clock.monotonic()
    const calls = this.#of(key, now)
    while (calls.head < calls.at.length && (calls.at[calls.head] ?? 0) <= now - this.#longestMs)
      calls.head += 1
    if (calls.head > 1024 && calls.head * 2 > calls.at.length) {
      calls.at.splice(0, calls.head)
      calls.inherited = Math.max(0, calls.inherited - calls.head)
      calls.head = 0
    }
    return Math.max(0, ...this.windows.map((window) => this.#waitFor(calls, window, now)))
  }

  /** Returns the milliseconds until the call that is `count` back leaves this window. */
  #waitFor(calls: Calls, window: RateWindow, now: number): number {
    const index = calls.at.length - window.count
    if (index < calls.head) return 0
    return (calls.at[index] ?? 0) + window.perMs - now
  }

  #of(key: string, now: number): Calls {
    const known = this.#calls.get(key)
    if (known && key === this.#newest) return known
    // The map is kept in order of use, so that its first key is the one to forget.
    if (known) this.#calls.delete(key)
    this.#newest = key
    const calls = known ?? this.#started(key, now)
    this.#calls.set(key, calls)
    if (this.#calls.size > this.bounds.keys) this.#forgetOldest(now)
    return calls
  }

  /** Returns the counter of a caller who has none: empty, unless the limiter may have forgotten its calls. */
  #started(key: string, now: number): Calls {
    const at = this.#shared.size === 0 ? [] : this.#recent(this.#shared.get(this.#sharedCounter(key)), now)
    return { at, head: 0, inherited: at.length }
  }

  /** Forgets a tenth of the callers at once: to find the oldest keys of a map costs much more than to drop them. */
  #forgetOldest(now: number): void {
    let left = Math.ceil(this.bounds.keys / 10)
    for (const [key, calls] of this.#calls) {
      if (left === 0) return
      this.#calls.delete(key)
      this.#share(key, calls, now)
      left -= 1
    }
  }

  /** Moves the calls of a forgotten counter to its shared one. */
  #share(key: string, { at, head, inherited }: Calls, now: number): void {
    const recent = this.#recent(at.slice(Math.max(head, inherited)), now)
    if (recent.length === 0) return
    const counter = this.#sharedCounter(key)
    const both = [...this.#recent(this.#shared.get(counter), now), ...recent]
    this.#shared.set(counter, both.sort((one, other) => one - other).slice(-this.#largestCount))
  }

  #recent(at: readonly number[] = [], now: number): number[] {
    return at.filter((time) => time > now - this.#longestMs)
  }

  #sharedCounter(key: string): number {
    return Number.parseInt(sha256Hex(this.#salt + key).slice(0, 8), 16) % this.bounds.sharedCounters
  }
}
