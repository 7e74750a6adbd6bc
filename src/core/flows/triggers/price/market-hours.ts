import { addDays, istDate, istInstant, MINUTE_MS, parseTimeOfDay } from '../../../time/index.js'
import type { Body, CalendarPort } from '../../ports.js'
import { flag, type Parsed, trimmed, upper } from '../reading.js'

/**
 * The hours in which a schedule may run: those of an exchange. `start` and `end` (`HH:MM` in IST) can replace
 * its bounds.
 */
export interface MarketHours {
  exchange: string
  start: string | undefined
  end: string | undefined
}

/**
 * Reads the market hours of a start node; undefined if it may run at any hour. A malformed bound is ignored.
 */
export function readMarketHours(data: Readonly<Body>): Parsed<MarketHours | undefined> {
  const only = flag('marketHoursOnly', data.marketHoursOnly)
  if (only.problems) return only
  if (!only.value) return { value: undefined }
  return {
    value: {
      exchange: upper(data.marketHoursExchange) || 'NSE',
      start: boundOf(data.marketHoursStart),
      end: boundOf(data.marketHoursEnd),
    },
  }
}

/**
 * Returns whether a schedule may run at an instant: within a session, in whole minutes, both ends included. A
 * day without a session stays closed, whatever the bounds say.
 */
export function withinMarketHours(
  hours: MarketHours,
  at: number,
  calendar: Pick<CalendarPort, 'sessionOf'>,
): boolean {
  const today = istDate(at)
  // A session may end after midnight.
  return [today, addDays(today, -1)].some((date) => {
    const window = windowOf(hours, date, calendar)
    return (
      window !== undefined && minuteOf(at) >= minuteOf(window.open) && minuteOf(at) <= minuteOf(window.close)
    )
  })
}

/** The days in which {@link nextInMarketHours} looks for a time: more than the longest row of days without a session. */
const DAYS_AHEAD = 30

/**
 * Returns the first instant of a schedule, from `from` on, at which the hours let it run; undefined if there is none within
 * {@link DAYS_AHEAD} days, as for a schedule at night.
 * @param next the first instant of the schedule after another one, in epoch milliseconds
 */
export function nextInMarketHours(
  hours: MarketHours,
  from: number,
  calendar: Pick<CalendarPort, 'sessionOf'>,
  next: (after: number) => number | undefined,
): number | undefined {
  if (withinMarketHours(hours, from, calendar)) return from
  for (let day = 0; day <= DAYS_AHEAD; day++) {
    const window = windowOf(hours, addDays(istDate(from), day), calendar)
    if (!window) continue
    const instant = next(Math.max(from, window.open) - 1)
    if (instant === undefined) return undefined
    if (withinMarketHours(hours, instant, calendar)) return instant
  }
  return undefined
}

/** Returns the hours of a day, in epoch milliseconds; undefined on a day without a session. */
function windowOf(
  { end, exchange, start }: MarketHours,
  date: string,
  calendar: Pick<CalendarPort, 'sessionOf'>,
): { open: number; close: number } | undefined {
  const session = calendar.sessionOf(exchange, date)
  if (!session) return undefined
  return {
    open: start === undefined ? session.open : istInstant(date, start),
    close: end === undefined ? session.close : istInstant(date, end),
  }
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS)
}

function boundOf(value: unknown): string | undefined {
  const text = trimmed(value)
  return text.length === 5 && parseTimeOfDay(text) !== undefined ? text : undefined
}
