import { istInstant } from '../../../time/index.js'

const DATE_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/

/**
 * Converts the `YYYY-MM-DD HH:MM:SS` (IST) of a broker's row to epoch milliseconds; 0 if it is not such a time or before 1970.
 */
export function timeOfStamp(stamp: string): number {
  const match = DATE_TIME.exec(stamp)
  if (!match) return 0
  const instant = istInstant(match[1] ?? '', match[2])
  return Number.isNaN(instant) ? 0 : Math.max(0, instant)
}
