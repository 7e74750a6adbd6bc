import {
  DAY_MS,
  HOUR_MS,
  isDate,
  istDate,
  istInstant,
  MINUTE_MS,
  SECOND_MS,
  zonedInstant,
} from '../../../core/time/index.js'
import { usageError } from '../../framework/errors.js'

const UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
}
const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)$/
/** A time of today. */
const TIME_OF_DAY = /^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/

/**
 * Parses a point in time: `2h` and `3d` are so long ago, `today` and a date begin at midnight in India, and a
 * time without a zone is Indian time; without a date, too, it is one of today.
 * @param end true for the end of a period: a date then means the end of its day
 * @returns epoch milliseconds
 */
export function parseInstant(text: string, name: string, now: number, end = false): number {
  const at = instantFrom(text.trim(), now, end)
  if (at !== undefined && Number.isFinite(at)) return at
  throw usageError(
    `${name} must be a duration such as 2h or 3d, a date such as today or 2026-11-20, or a time such as 09:15 (of today) or 2026-11-20T09:15, was "${text}".`,
  )
}

/** Parses the Indian day of a point in time. @throws a usage error for a time of today, which would say nothing more than `today` */
export function parseDay(text: string, name: string, now: number): string {
  const at = TIME_OF_DAY.test(text.trim()) ? undefined : instantFrom(text.trim(), now, false)
  if (at !== undefined && Number.isFinite(at)) return istDate(at)
  throw usageError(`${name} must be a day: today, yesterday, 3d or 2026-11-20, was "${text}".`)
}

function instantFrom(text: string, now: number, end: boolean): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (UNITS[unit ?? ''] ?? Number.NaN)
  const named = text === 'today' ? istDate(now) : text === 'yesterday' ? istDate(now - DAY_MS) : text
  if (isDate(named)) return istInstant(named) + (end ? DAY_MS : 0)
  if (TIME_OF_DAY.test(text)) return istInstant(istDate(now), text.replace(/^\d:/, '0$&'))
  const [, day = '', time] = LOCAL.exec(text) ?? []
  if (time !== undefined) return isDate(day) ? istInstant(day, time) : undefined
  return zonedInstant(text)
}
