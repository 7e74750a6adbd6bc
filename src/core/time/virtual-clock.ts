import { type Clock, sleepOn, type Timer } from './clock.js'
import { Timeline } from './timeline.js'

interface Scheduled {
  id: number
  due: number
  everyMs: number | undefined
  fn: () => void
}

/**
 * A clock that only moves when a test advances it. `advance` fires every timer that becomes due, in order of
 * due time, then of creation. Between timers it lets promises settle, so that the code under test runs in the
 * same order every time.
 */
export class VirtualClock implements Clock {
  #now: number
  /** Difference between the time of day and the elapsed time, after clock steps. */
  #stepped = 0
  readonly #timeline: Timeline
  #nextId = 1
  readonly #scheduled = new Map<number, Scheduled>()

  /**
   * @param start epoch milliseconds, or an ISO 8601 text with a zone
   * @param settle waits for the work a timer started; the clock does not move in the meantime
   */
  constructor(
    start: number | string,
    private readonly settle: () => Promise<void> = fewTurns,
  ) {
    this.#now = typeof start === 'number' ? start : Date.parse(start)
    if (Number.isNaN(this.#now)) throw new Error(`VirtualClock: unreadable start "${start}"`)
    this.#timeline = new Timeline(this.#now, this.#now)
  }

  now(): number {
    return this.#now + this.#stepped
  }

  monotonic(): number {
    return this.#now
  }

  since(instant: number, ahead?: number): number {
    return this.#timeline.since(instant, this.#now, ahead)
  }

  ago(ms: number): number {
    return this.#timeline.ago(ms, this.#now)
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

  /** The number of waiting timers. A test that ends with any left has found a leak. */
  get pending(): number {
    return this.#scheduled.size
  }

  /** Moves time forward by `ms` and fires the timers that become due. */
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

  /** Sets the time of day forward or back, as NTP does. No time passes. */
  step(ms: number): void {
    this.#stepped += ms
    this.#timeline.step(ms, this.#now)
  }

  /** Simulates a suspended process or machine: time passes, and due timers fire once afterwards. */
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

/** Lets due promise chains and I/O callbacks run before the clock moves on. */
async function fewTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}
