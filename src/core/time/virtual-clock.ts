import { type Clock, sleepOn, type Timer } from './clock.js'

interface Scheduled {
  id: number
  due: number
  everyMs: number | undefined
  fn: () => void
}

/**
 * A clock that stands still until it is moved. `advance` fires every timer that falls due on the way, in order
 * of due time and then of creation, and lets promises settle between them, so that code under test sees the
 * same interleaving on every run.
 */
export class VirtualClock implements Clock {
  #now: number
  /** How far the time of day is off the time that has passed. */
  #stepped = 0
  #nextId = 1
  readonly #scheduled = new Map<number, Scheduled>()

  /**
   * @param start epoch milliseconds, or an ISO 8601 text with a zone
   * @param settle waits for what a timer has set going; the clock stands still meanwhile
   */
  constructor(
    start: number | string,
    private readonly settle: () => Promise<void> = fewTurns,
  ) {
    this.#now = typeof start === 'number' ? start : Date.parse(start)
    if (Number.isNaN(this.#now)) throw new Error(`VirtualClock: unreadable start "${start}"`)
  }

  now(): number {
    return this.#now + this.#stepped
  }

  monotonic(): number {
    return this.#now
  }

  setTimeout(fn: () => void, delayMs: number): Timer {
    return this.#schedule(fn, delayMs, undefined)
  }

  setInterval(fn: () => void, intervalMs: number): Timer {
    return this.#schedule(fn, intervalMs, Math.max(1, intervalMs))
  }

  clear(timer: Timer | undefined): void {
    if (timer) this.#scheduled.delete(timer.id)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }

  /** How many timers wait. A test that ends with any left has found a leak. */
  get pending(): number {
    return this.#scheduled.size
  }

  /** Moves time forward by `ms`, firing what falls due. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms
    await this.settle()
    for (let next = this.#next(target); next; next = this.#next(target)) {
      this.#now = Math.max(this.#now, next.due)
      if (next.everyMs === undefined) this.#scheduled.delete(next.id)
      else next.due += next.everyMs
      next.fn()
      await this.settle()
    }
    this.#now = target
  }

  /** Moves time forward to an instant (epoch milliseconds or ISO 8601 with a zone). */
  async advanceTo(instant: number | string): Promise<void> {
    const target = typeof instant === 'number' ? instant : Date.parse(instant)
    await this.advance(Math.max(0, target - this.now()))
  }

  /** Sets the time of day, as NTP does: no time passes. */
  step(ms: number): void {
    this.#stepped += ms
  }

  /** Time passes while the process or its machine stands still: timers that fell due fire once, afterwards. */
  suspend(ms: number): void {
    this.#now += ms
    for (const timer of this.#scheduled.values()) timer.due = Math.max(timer.due, this.#now)
  }

  #schedule(fn: () => void, delayMs: number, everyMs: number | undefined): Timer {
    const id = this.#nextId++
    this.#scheduled.set(id, { id, due: this.#now + Math.max(0, delayMs), everyMs, fn })
    return { id }
  }

  #next(limit: number): Scheduled | undefined {
    let best: Scheduled | undefined
    for (const candidate of this.#scheduled.values()) {
      if (candidate.due > limit) continue
      if (!best || candidate.due < best.due || (candidate.due === best.due && candidate.id < best.id))
        best = candidate
    }
    return best
  }
}

/** Lets promise chains and I/O callbacks that are already due run before the clock moves on. */
async function fewTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}
