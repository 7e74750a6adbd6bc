import { expiryToDate } from '../../instruments/index.js'
import { DAY_MS, istInstant } from '../../time/index.js'

const YEAR_MS = 365 * 86_400_000
/** Minimum time to expiry. Below it the Greeks become meaninglessly large. */
const MIN_YEARS = 0.0001

/** Time of day (IST) at which contracts expire, for exchanges that differ from the usual one. */
const CUT_OFF: Readonly<Record<string, string>> = { CDS: '12:30', MCX: '23:30' }
const USUAL_CUT_OFF = '15:30'

/** Returns the instant an expiry (`DD-MON-YY`) ends, in epoch milliseconds; undefined if it is not a date. */
export function expiryInstant(expiry: string, exchange: string, time?: string): number | undefined {
  const date = expiryToDate(expiry)
  return date === undefined ? undefined : istInstant(date, time ?? CUT_OFF[exchange] ?? USUAL_CUT_OFF)
}

/** The time left until an option expires. */
export interface TimeLeft {
  days: number
  /** Years of 365 days, at least `MIN_YEARS` so that the Greeks can be computed. */
  years: number
}

/** Returns undefined after expiry. */
export function timeLeft(expiresAt: number, now: number): TimeLeft | undefined {
  const left = expiresAt - now
  return left <= 0 ? undefined : { days: left / DAY_MS, years: Math.max(left / YEAR_MS, MIN_YEARS) }
}
