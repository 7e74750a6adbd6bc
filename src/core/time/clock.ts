/** A timer created by a {@link Clock}. Pass it to `clear` to stop it. */
export interface Timer {
  readonly id: number
}

/**
 * The only source of time in the service. All code that reads the time, waits or repeats takes a Clock, so
 * that a test can run a whole trading week under a {@link VirtualClock}.
 */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
  setTimeout(fn: () => void, delayMs: number): Timer
  /** Repeats every `intervalMs` until cleared. */
  setInterval(fn: () => void, intervalMs: number): Timer
  clear(timer: Timer | undefined): void
  /** Resolves after `delayMs`; rejects with the signal's reason if the signal aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /** Returns a monotonic reading in milliseconds, for measuring durations; never for the time of day. */
  monotonic(): number
}

/** Sleeps on a clock's own timers, so that all clocks behave the same on abort. */
export function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clock.clear(timer)
      reject(signal?.reason)
    }
    const timer = clock.setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, delayMs)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
