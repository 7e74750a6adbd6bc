import { expiryToDate } from '../../instruments/index.js'
import { istInstant } from '../../time/index.js'

const YEAR_MS = 365 * 86_400_000
const DAY_MS = 86_400_000
/** Below this the square root of time lets every Greek explode. */
const MIN_YEARS = 0.0001

/** When contracts of an exchange stop on their last day, IST (contract, section 12). */
const CUT_OFF: Readonly<Record<string, string>> = { CDS: '12:30', MCX: '23:30' }
const USUAL_CUT_OFF = '15:30'

/** The instant an expiry (`DD-MON-YY`) ends, epoch milliseconds; undefined when it is no date. */
export function expiryInstant(expiry: string, exchange: string, time?: string): number | undefined {
  const date = expiryToDate(expiry)
  return date === undefined ? undefined : istInstant(date, time ?? CUT_OFF[exchange] ?? USUAL_CUT_OFF)
}

/** The time an option has left. */
export interface TimeLeft {
  days: number
  /** Of 365 days; never so short that nothing can be computed. */
  years: number
}

/** Undefined once the option has expired. */
export function timeLeft(expiresAt: number, now: number): TimeLeft | undefined {
  const left = expiresAt - now
  return left <= 0 ? undefined : { days: left / DAY_MS, years: Math.max(left / YEAR_MS, MIN_YEARS) }
}
