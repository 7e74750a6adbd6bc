/** A timer handed out by a {@link Clock}; give it back to `clear` to stop it. */
export interface Timer {
  readonly id: number
}

/**
 * The only source of time in the service. Everything that reads the time of day, waits or repeats takes a
 * Clock, so that a whole trading week can run under a {@link VirtualClock} in a test.
 */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
  setTimeout(fn: () => void, delayMs: number): Timer
  /** Repeats every `intervalMs` until cleared. */
  setInterval(fn: () => void, intervalMs: number): Timer
  clear(timer: Timer | undefined): void
  /** Resolves after `delayMs`; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>
  /** A monotonic reading in milliseconds for measuring durations; never for time of day. */
  monotonic(): number
}

/** Sleep in terms of a clock's own timers, so that both clocks share one behaviour on abort. */
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
