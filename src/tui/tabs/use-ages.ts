import type { Live } from '../live/feed.js'
import { useNow } from '../screen/use-now.js'

/** Current content shows no age: its times change their form at midnight only. */
const CURRENT_MS = 60_000
const STALE_MS = 1000

/** Returns the time in milliseconds, and draws again as often as the ages on the screen need it. */
export function useAges({ problem }: Live<unknown>): number {
  return useNow(problem === undefined ? CURRENT_MS : STALE_MS)
}
