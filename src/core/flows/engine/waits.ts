import { type Clock, SECOND_MS } from '../../time/index.js'
import { LIMITS } from '../graph/graph.js'
import { NodeError } from '../nodes/definition.js'

/**
 * The longest part of a wait. A timer stands still while the machine sleeps and knows no step of the clock, so the clock is
 * read after each part.
 */
const PART_MS = 30_000

/** Waits for a time, in which the machine may sleep. A step of the clock does not count. @throws NodeError when it ends late */
export function waitFor(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const due = elapsed(clock) + ms
  return waitWhile(() => due - elapsed(clock), clock, signal)
}

/** Waits until the clock shows an instant. @throws NodeError when it ends late */
export function waitUntil(instant: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return waitWhile(() => instant - clock.now(), clock, signal)
}

async function waitWhile(leftMs: () => number, clock: Clock, signal: AbortSignal): Promise<void> {
  let left = leftMs()
  for (; left > 0; left = leftMs()) await clock.sleep(Math.min(left, PART_MS), signal)
  if (-left <= LIMITS.lateWaitMs) return
  const seconds = Math.round(-left / SECOND_MS)
  throw new NodeError(
    `The wait ended ${seconds} s late: the machine slept or its clock was set. What follows is not for this time`,
  )
}

/** Returns the monotonic reading with the time that the machine slept: the clock notices it when it is read. */
function elapsed(clock: Clock): number {
  clock.now()
  return clock.monotonic()
}
