import type { VirtualClock } from '../../../../src/core/time/index.js'

const TURNS = 20
const STEP_MS = 5

/**
 * Waits for calls while a clock goes on. It stands while requests arrive at the broker, so that the broker counts them at
 * the moment at which they left.
 * @param arrived the number of requests that have arrived so far
 */
export async function settledMeanwhile<T>(
  clock: VirtualClock,
  arrived: () => number,
  calls: readonly Promise<T>[],
): Promise<PromiseSettledResult<T>[]> {
  let isDone = false
  const all = Promise.allSettled(calls).finally(() => {
    isDone = true
  })
  for (let idle = 0; !isDone; ) {
    const before = arrived()
    for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
    idle = arrived() === before ? idle + 1 : 0
    if (idle > 3 && !isDone) await clock.advance(STEP_MS)
  }
  return all
}
