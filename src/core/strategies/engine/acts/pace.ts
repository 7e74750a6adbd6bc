import { SECOND_MS } from '../../../time/index.js'

/** Returns whether a level was reported less than a second ago. A clock that was set back delays nothing. */
export function isTooSoon(reportedAt: number, now: number): boolean {
  const since = now - reportedAt
  return since >= 0 && since < SECOND_MS
}
