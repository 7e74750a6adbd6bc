import { type Clock, sleepOn, type Timer } from './clock.js'

/** The clock of the machine. Its timers never keep the process alive on their own. */
export class SystemClock implements Clock {
  readonly #timers = new Map<number, NodeJS.Timeout>()
  #nextId = 1

  now(): number {
    return Date.now()
  }

  monotonic(): number {
    return performance.now()
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
