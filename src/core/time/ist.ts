import { DAY_MS } from './durations.js'

/**
 * Indian Standard Time. The service stores UTC milliseconds, and displays and schedules in Asia/Kolkata,
 * whatever the time zone of the host. IST has had no daylight saving since 1945, so a fixed offset is exact.
 */
export const IST_OFFSET_MS = 5.5 * 3_600_000

/** The parts of an instant in IST. `weekday` is ISO: Monday is 1, Sunday 7. */
export interface IstParts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  millisecond: number
  weekday: number
}

export function istParts(ms: number): IstParts {
  const d = new Date(ms + IST_OFFSET_MS)
  return {
    year: d.getUTCFullYear(),
    month: d.getUTCMonth() + 1,
    day: d.getUTCDate(),
    hour: d.getUTCHours(),
    minute: d.getUTCMinutes(),
    second: d.getUTCSeconds(),
    millisecond: d.getUTCMilliseconds(),
    weekday: d.getUTCDay() === 0 ? 7 : d.getUTCDay(),
  }
}

/** `YYYY-MM-DD` in IST. */
export function istDate(ms: number): string {
  return new Date(ms + IST_OFFSET_MS).toISOString().slice(0, 10)
}

/** `HH:MM:SS` in IST. */
export function istTime(ms: number): string {
  return new Date(ms + IST_OFFSET_MS).toISOString().slice(11, 19)
}

/** `YYYY-MM-DD HH:MM:SS` in IST. */
export function istDateTime(ms: number): string {
  return new Date(ms + IST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
}

/** `YYYY-MM-DD hh:mm:ss AM` in IST, the format of times in the order log. */
export function istTwelveHours(ms: number): string {
  return `${istDate(ms)} ${twelveHours(ms + IST_OFFSET_MS)}`
}

/** `DD-MM-YYYY hh:mm:ss AM` in IST, the format of times in the lists of requests and latencies. */
export function istDayFirst(ms: number): string {
  return utcDayFirst(ms + IST_OFFSET_MS)
}

/** `DD-MM-YYYY hh:mm:ss AM` in UTC, the format of times in the lists of bans and offences. */
export function utcDayFirst(ms: number): string {
  const [year, month, day] = new Date(ms).toISOString().slice(0, 10).split('-')
  return `${day}-${month}-${year} ${twelveHours(ms)}`
}

/** `hh:mm:ss AM` in UTC. */
function twelveHours(ms: number): string {
  const time = new Date(ms).toISOString().slice(11, 19)
  const hour = Number(time.slice(0, 2))
  return `${String(hour % 12 || 12).padStart(2, '0')}${time.slice(2)} ${hour < 12 ? 'AM' : 'PM'}`
}

/** ISO 8601 with the zone of IST: `YYYY-MM-DDTHH:MM:SS.mmm+05:30`. */
export function istIso(ms: number): string {
  return new Date(ms + IST_OFFSET_MS).toISOString().replace('Z', '+05:30')
}

/** `YYYY-MM-DD HH:MM:SS IST`, the format of times in approvals. */
export function istStamp(ms: number): string {
  return `${istDateTime(ms)} IST`
}

/** Returns the instant of a wall-clock time on an IST date. `time` is `HH:MM` or `HH:MM:SS`. */
export function istInstant(date: string, time = '00:00'): number {
  return Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}+05:30`)
}

/** Milliseconds since IST midnight. */
export function istMillisOfDay(ms: number): number {
  return (((ms + IST_OFFSET_MS) % DAY_MS) + DAY_MS) % DAY_MS
}

/** Converts `HH:MM` or `HH:MM:SS` to milliseconds since midnight; undefined if it is not a time of day. */
export function parseTimeOfDay(text: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text)
  if (!match) return undefined
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0)) * 1000
}

/** The time at which the trading session date changes: 03:00 IST. */
export const SESSION_ROLLOVER = '03:00'

/** Returns the trading session date: the IST date, or the previous date before the rollover. */
export function sessionDate(ms: number, rollover: string = SESSION_ROLLOVER): string {
  return istDate(ms - (parseTimeOfDay(rollover) ?? 0))
}

/** Returns the instant at which the session of `ms` started. */
export function sessionStart(ms: number, rollover: string = SESSION_ROLLOVER): number {
  return istInstant(sessionDate(ms, rollover), rollover)
}

/** Returns the next rollover after `ms`, when password sessions and the trading day's account views end. */
export function nextRollover(ms: number, rollover: string = SESSION_ROLLOVER): number {
  return sessionStart(ms, rollover) + DAY_MS
}

/** Returns the date `days` after a date (`YYYY-MM-DD`); negative goes back. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Returns the ISO weekday of a date: Monday is 1, Sunday 7. */
export function weekdayOf(date: string): number {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay()
  return day === 0 ? 7 : day
}

/** ISO 8601 in UTC: `YYYY-MM-DDTHH:MM:SS.mmm+00:00`. */
export function utcIso(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}

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

const DATE = /^\d{4}-\d{2}-\d{2}$/
const WITH_ZONE = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Returns whether a text is an existing date in the form `YYYY-MM-DD`. `Date` would read 31 November as 1 December. */
export function isDate(text: string): boolean {
  if (!DATE.test(text)) return false
  const instant = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
}

/** Parses an ISO 8601 time with its zone, such as `2026-11-20T09:15:00+05:30`; undefined for any other text. */
export function zonedInstant(text: string): number | undefined {
  const [, date = ''] = WITH_ZONE.exec(text) ?? []
  const instant = isDate(date) ? Date.parse(text) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
}
