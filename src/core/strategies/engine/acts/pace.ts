import { SECOND_MS } from '../../../time/index.js'

/** Returns whether a level was reported less than a second ago. */
export function isTooSoon(reportedAt: number, elapsed: number): boolean {
  return elapsed - reportedAt < SECOND_MS
}
