import type { Calendar } from '../../calendar/index.js'
import { expiryToDate } from '../../instruments/index.js'
import { DAY_MS, istInstant } from '../../time/index.js'

const YEAR_MS = 365 * 86_400_000
/** Minimum time to expiry. Below it the Greeks become meaninglessly large. */
const MIN_YEARS = 0.0001

/** Time of day (IST) at which contracts expire, for exchanges that differ from the usual one. */
const CUT_OFF: Readonly<Record<string, string>> = { CDS: '12:30', MCX: '23:30' }
const USUAL_CUT_OFF = '15:30'
/** Exchanges whose contracts expire at the close, which moves with the season. Their cut-off is for holidays. */
const EXPIRES_AT_CLOSE: ReadonlySet<string> = new Set(['MCX'])

/** A contract's last day, and the time of day that the request names, if any. */
interface LastDay {
  /** `DD-MON-YY` */
  expiry: string
  exchange: string
  /** `HH:MM` in IST. */
  time?: string | undefined
}

/**
 * Returns the instant at which a contract expires, in epoch milliseconds; undefined if the expiry is not a
 * date. The cut-off of the exchange counts if it lies within the session of the day. Otherwise the contract
 * expires when the session closes.
 */
export function expiryInstant(
  { expiry, exchange, time }: LastDay,
  calendar: Pick<Calendar, 'sessionOf'>,
): number | undefined {
  const date = expiryToDate(expiry)
  if (date === undefined) return undefined
  if (time !== undefined) return istInstant(date, time)
  const cutOff = istInstant(date, CUT_OFF[exchange] ?? USUAL_CUT_OFF)
  const session = calendar.sessionOf(exchange, date)
  if (!session) return cutOff
  const isWithin = cutOff > session.open && cutOff <= session.close
  return isWithin && !EXPIRES_AT_CLOSE.has(exchange) ? cutOff : session.close
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
