import { isStorageBusy } from '../../src/core/storage/index.js'
import type { VirtualClock } from '../../src/core/time/index.js'
import { pause } from './eventually.js'

/** The steps of the clock grow with the time waited, so that a minute takes no longer than a second. */
const STEP_MS = 20
const LARGEST_STEP_MS = 1000
const STEP_SHARE = 1 / 20
const REAL_PAUSE_MS = 1

/**
 * Returns the outcome of a promise that may wait for the clock, and advances the clock until then. The clock
 * is virtual, but the files are real. So the clock stops while a database works and pauses briefly between
 * its steps; otherwise it would run hours ahead of a busy disk.
 */
export async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let done = false
  const finish = () => {
    done = true
  }
  promise.then(finish, finish)
  const begun = clock.now()
  while (!done) {
    do await pause(REAL_PAUSE_MS)
    while (!done && isStorageBusy())
    const waited = clock.now() - begun
    const step = Math.min(LARGEST_STEP_MS, Math.max(STEP_MS, Math.floor(waited * STEP_SHARE)))
    if (!done) await clock.advance(step)
  }
  return promise
}
