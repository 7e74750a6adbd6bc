import { type Clock, type Timer, VirtualClock } from '../../../../src/core/time/index.js'

/** A virtual clock whose time of day can be set forwards and back, as an operator or a time server would. */
export class JumpingClock implements Clock {
  readonly #base: VirtualClock

  constructor(start: number | string) {
    this.#base = new VirtualClock(start)
  }

  /** Sets the time of day. Timers continue unaffected. */
  jump(ms: number): void {
    this.#base.step(ms)
  }

  get pending(): number {
    return this.#base.pending
  }

  now(): number {
    return this.#base.now()
  }

  monotonic(): number {
    return this.#base.monotonic()
  }

  since(instant: number, ahead?: number): number {
    return this.#base.since(instant, ahead)
  }

  ago(ms: number): number {
    return this.#base.ago(ms)
  }

  setTimeout(fn: () => void, delayMs: number): Timer {
    return this.#base.setTimeout(fn, delayMs)
  }

  setInterval(fn: () => void, intervalMs: number): Timer {
    return this.#base.setInterval(fn, intervalMs)
  }

  clear(timer: Timer | undefined): void {
    this.#base.clear(timer)
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.#base.sleep(delayMs, signal)
  }

  advance(ms: number): Promise<void> {
    return this.#base.advance(ms)
  }
}

/** Returns an instant from a time in IST. */
export const ist = (text: string): number => Date.parse(`${text.replace(' ', 'T')}+05:30`)
