import { uptime } from 'node:os'
import { type Clock, sleepOn, type Timer } from './clock.js'
import { SECOND_MS } from './durations.js'
import { Timeline } from './timeline.js'

/** The clock of the machine. Its timers never keep the process alive on their own. */
export class SystemClock implements Clock {
  readonly #timers = new Map<number, NodeJS.Timeout>()
  #nextId = 1
  readonly #timeline = new Timeline(Date.now(), performance.now())
  /** The time that the machine was up at the begin of the monotonic reading. */
  readonly #upBefore = uptimeMs() - performance.now()
  /** The time that the machine has slept: the monotonic reading of the process stands still meanwhile. */
  #asleep = 0

  now(): number {
    const wall = Date.now()
    // The machine slept, or the clock was stepped. The time that it was up tells which.
    if (this.#timeline.isStepped(wall, this.monotonic())) this.#noteSleep()
    this.#timeline.note(wall, this.monotonic())
    return wall
  }

  monotonic(): number {
    return performance.now() + this.#asleep
  }

  since(instant: number, ahead?: number): number {
    this.now()
    return this.#timeline.since(instant, this.monotonic(), ahead)
  }

  ago(ms: number): number {
    this.now()
    return this.#timeline.ago(ms, this.monotonic())
  }

  #noteSleep(): void {
    const slept = uptimeMs() - performance.now() - this.#upBefore - this.#asleep
    if (slept > SECOND_MS) this.#asleep += slept
  }

  setTimeout(fn: () => void, delayMs: number): Timer {
    const id = this.#nextId++
    const handle = setTimeout(() => {
      this.#timers.delete(id)
      fn()
    }, delayMs)
    this.#timers.set(id, handle.unref())
    return { id }
  }

  setInterval(fn: () => void, intervalMs: number): Timer {
    const id = this.#nextId++
    this.#timers.set(id, setInterval(fn, intervalMs).unref())
    return { id }
  }

  clear(timer: Timer | undefined): void {
    if (!timer) return
    const handle = this.#timers.get(timer.id)
    if (!handle) return
    clearTimeout(handle)
    this.#timers.delete(timer.id)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }
}

/** Returns 0 where the system does not tell. */
function uptimeMs(): number {
  try {
    return uptime() * SECOND_MS
  } catch {
    return 0
  }
}
