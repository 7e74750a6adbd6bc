import { setImmediate as turn } from 'node:timers/promises'
import { isStorageBusy, storageIdle } from '../../../src/core/storage/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'

/** The turns of the event loop without work of a database after which nothing is in progress. */
const QUIET_TURNS = 8

/**
 * Returns a virtual clock for a service with databases. Time stops while one of them works, so that a test runs the same
 * way on a slow disk and on a busy machine: otherwise the clock would run ahead of the work that a timer started.
 */
export const deskClock = (start: number | string): VirtualClock => new VirtualClock(start, quiet)

async function quiet(): Promise<void> {
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await turn()
    if (!isStorageBusy()) continue
    // Turns that only ask again would keep a processor busy, which the threads of the databases need.
    await storageIdle()
    turns = 0
  }
}
