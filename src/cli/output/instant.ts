import { istDate, istInstant } from '../../core/time/index.js'
import { usageError } from '../framework/errors.js'

const DAY_MS = 86_400_000
const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
}
const DATE = /^(\d{4}-\d{2}-\d{2})$/
const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)$/
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/**
 * Parses a point in time: `2h` and `3d` are so long ago, `today` and a date begin at midnight in India, and a
 * time without a zone is Indian time.
 * @param end true for the end of a period: a date then means the end of its day
 * @returns epoch milliseconds
 */
export function parseInstant(text: string, name: string, now: number, end = false): number {
  const at = instantFrom(text.trim(), now, end)
  if (at !== undefined && Number.isFinite(at)) return at
  throw usageError(
    `${name} must be a duration such as 2h or 3d, a date such as 2026-11-20, or a time such as 2026-11-20T09:15, was "${text}".`,
  )
}

function instantFrom(text: string, now: number, end: boolean): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit ?? ''] ?? Number.NaN)
  const named = text === 'today' ? istDate(now) : text === 'yesterday' ? istDate(now - DAY_MS) : text
  const [, date] = DATE.exec(named) ?? []
  if (date !== undefined) return isReal(date) ? istInstant(date) + (end ? DAY_MS : 0) : undefined
  const [, day = '', time] = LOCAL.exec(text) ?? []
  if (time !== undefined) return isReal(day) ? istInstant(day, time) : undefined
  return ZONED.test(text) ? Date.parse(text) : undefined
}

/** Returns whether a date exists: `Date` would read 31 November as 1 December. */
const isReal = (date: string) => {
  const instant = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(date)
}
