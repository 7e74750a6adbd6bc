export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Returns the whole seconds in a time or duration of milliseconds. */
export function wholeSeconds(ms: number): number {
  return Math.floor(ms / SECOND_MS)
}

/** Formats a duration in seconds with one decimal: `5.1`. */
export function secondsText(ms: number): string {
  return (ms / SECOND_MS).toFixed(1)
}
