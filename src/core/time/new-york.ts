import { addDays, weekdayOf } from './ist.js'

/**
 * Returns whether New York has daylight-saving time on a date: from the second Sunday of March until the first
 * Sunday of November.
 */
export function isNewYorkSummer(date: string): boolean {
  const year = date.slice(0, 4)
  return date >= sundayFrom(`${year}-03-08`) && date < sundayFrom(`${year}-11-01`)
}

/** Returns the first Sunday on or after a date. */
function sundayFrom(date: string): string {
  return addDays(date, 7 - weekdayOf(date))
}
