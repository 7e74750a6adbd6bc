import { DAY_MS, istDate, istDateTime, istParts, istTime, sessionDate } from '../../time/index.js'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const two = (n: number): string => String(n).padStart(2, '0')

/** The built-in text variables with their formats. Times are IST. */
export const BUILTINS: Readonly<Record<string, (now: number) => string>> = {
  timestamp: istDateTime,
  iso_timestamp: (now) =>
    `${istDateTime(now).replace(' ', 'T')}.${String(istParts(now).millisecond).padStart(3, '0')}000`,
  date: istDate,
  session_date: (now) => sessionDate(now),
  time: istTime,
  year: (now) => String(istParts(now).year),
  month: (now) => two(istParts(now).month),
  day: (now) => two(istParts(now).day),
  hour: (now) => two(istParts(now).hour),
  minute: (now) => two(istParts(now).minute),
  second: (now) => two(istParts(now).second),
  weekday: (now) => WEEKDAYS[istParts(now).weekday - 1] ?? '',
  weekday_num: (now) => String(istParts(now).weekday),
  quarter: (now) => String(quarterOf(istParts(now).month)),
  week_of_year: (now) => String(isoWeek(istDate(now))),
  day_of_year: (now) => String(dayOfYear(istDate(now))),
}

/** Returns the value of a built-in at an instant; undefined for any other name. */
export function builtinAt(name: string, now: number): string | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name]?.(now) : undefined
}

/** Returns the quarter, 1 to 4, of a month from 1. */
function quarterOf(month: number): number {
  return Math.ceil(month / 3)
}

/** Returns the day of the year, from 1. `date` is `YYYY-MM-DD`. */
function dayOfYear(date: string): number {
  return (Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / DAY_MS + 1
}

/** Returns the ISO week: the week of the year that contains the Thursday of the date's week. */
export function isoWeek(date: string): number {
  const day = Date.parse(date)
  const weekday = (new Date(day).getUTCDay() + 6) % 7
  const thursday = new Date(day + (3 - weekday) * DAY_MS).toISOString().slice(0, 10)
  return Math.ceil(dayOfYear(thursday) / 7)
}
