import { setImmediate } from 'node:timers/promises'
import type { VirtualClock } from '../../src/core/time/index.js'

/** Turns of the event loop in which files and databases may answer before the clock moves on. */
const TURNS = 50
const STEP_MS = 20

/** The outcome of something that may wait for the clock, which moves on while it does. */
export async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let done = false
  const finish = () => {
    done = true
  }
  promise.then(finish, finish)
  while (!done) {
    for (let turn = 0; !done && turn < TURNS; turn++) await setImmediate()
    if (!done) await clock.advance(STEP_MS)
  }
  return promise
}
