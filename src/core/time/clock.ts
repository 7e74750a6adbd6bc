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
  /**
   * Returns a monotonic reading in milliseconds, for durations within the process; never for the time of day. Unlike a
   * difference of {@link now}, it knows no steps of the wall clock.
   */
  monotonic(): number
  /**
   * Returns how long ago an instant of {@link now} was, for instants that are stored. A step of the wall clock since then does
   * not count.
   * @param ahead what to return for an instant that lies ahead, because the clock was set back before the process began. By
   * default it counts as the begin of the process, so that nothing waits for the clock to come there again.
   */
  since(instant: number, ahead?: number): number
  /** Returns the instant that {@link now} showed so long ago, for queries of stored instants. */
  ago(ms: number): number
}

/**
 * Returns the monotonic reading of a stored instant, for what is kept in memory. Unlike {@link Clock.since}, it stays right when
 * a clock that was set back shows the same times once more. Call it before the clock can do that: when the instant is stored
 * or loaded.
 */
export function readingOf(
  clock: Pick<Clock, 'monotonic' | 'since'>,
  instant: number,
  ahead?: number,
): number {
  return clock.monotonic() - clock.since(instant, ahead)
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
