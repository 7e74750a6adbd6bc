import { addDays, istDate, istInstant, MINUTE_MS, parseTimeOfDay } from '../../../time/index.js'
import type { Body, CalendarPort } from '../../ports.js'
import { lower, trimmed, upper } from '../reading.js'

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
export function readMarketHours(data: Readonly<Body>): MarketHours | undefined {
  if (lower(data.marketHoursOnly) !== 'true') return undefined
  return {
    exchange: upper(data.marketHoursExchange) || 'NSE',
    start: boundOf(data.marketHoursStart),
    end: boundOf(data.marketHoursEnd),
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
    const session = calendar.sessionOf(hours.exchange, date)
    if (!session) return false
    const open = hours.start === undefined ? session.open : istInstant(date, hours.start)
    const close = hours.end === undefined ? session.close : istInstant(date, hours.end)
    return minuteOf(at) >= minuteOf(open) && minuteOf(at) <= minuteOf(close)
  })
}

function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS)
}

function boundOf(value: unknown): string | undefined {
  const text = trimmed(value)
  return text.length === 5 && parseTimeOfDay(text) !== undefined ? text : undefined
}
