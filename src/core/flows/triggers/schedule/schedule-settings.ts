import { isDate, istInstant } from '../../../time/index.js'
import { isBlank } from '../../graph/graph.js'
import { parseNumber } from '../../language/numbers.js'
import type { FieldProblem } from '../../nodes/definition.js'
import type { Body } from '../../ports.js'
import { invalid, lower, type Parsed, trimmed } from '../reading.js'
import type { Schedule } from './schedule.js'

export const INTERVAL_UNITS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 } as const
const DEFAULT_TIME = '09:15'
/** The maximum delay of a run, and the maximum age of a one-time instant on activation. */
export const MISFIRE_GRACE_MS = 60_000

const INVALID = 'Invalid schedule configuration'
const HOUR_AND_MINUTE = /^([01]?\d|2[0-3]):([0-5]\d)$/
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i
/** A longer interval is a mistake in the unit. */
const LONGEST_INTERVAL_MS = 366 * 86_400_000

type Reader = (data: Readonly<Body>) => Parsed<Schedule | undefined>

const READERS: Readonly<Record<string, Reader>> = {
  manual: () => ({ value: undefined }),
  daily: readDaily,
  weekly: readWeekly,
  interval: readInterval,
  once: readOnce,
}

export const SCHEDULE_TYPES = Object.keys(READERS)

const typeOf = (data: Readonly<Body>): string => lower(data.scheduleType) || 'manual'

/** Returns whether a start node has no schedule. */
export const isManual = (data: Readonly<Body>): boolean => typeOf(data) === 'manual'

/** Reads the schedule of a start node. The value undefined means that the workflow runs only manually. */
export function readSchedule(data: Readonly<Body>): Parsed<Schedule | undefined> {
  const type = typeOf(data)
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined
  return reader ? reader(data) : unsupported('scheduleType', data)
}

/** Checks the schedule of a start node. */
export function checkSchedule(data: Readonly<Body>): FieldProblem[] {
  return readSchedule(data).problems ?? []
}

/** Returns why a schedule can no longer be activated; undefined if it can. */
export function pastText(schedule: Schedule, now: number): string | undefined {
  if (schedule.type !== 'once' || schedule.at >= now - MISFIRE_GRACE_MS) return undefined
  return `${INVALID}: executeAt ${new Date(schedule.at).toISOString()} is in the past`
}

function readDaily(data: Readonly<Body>): Parsed<Schedule> {
  const time = timeOf(data)
  return time
    ? { value: { type: 'daily', ...time } }
    : bad('time', `Invalid time format: ${trimmed(data.time)}`, data.time)
}

function readWeekly(data: Readonly<Body>): Parsed<Schedule | undefined> {
  const listed: readonly unknown[] = Array.isArray(data.days) ? data.days : []
  if (listed.length === 0) return unsupported('days', data)
  const numbers = listed.map((day) => (typeof day === 'boolean' ? undefined : parseNumber(day)))
  const days = [...new Set(numbers.filter(isDay))].sort((a, b) => a - b)
  const time = timeOf(data)
  const invalid = 'Invalid weekly schedule configuration'
  if (days.length === 0) return bad('days', invalid, data.days)
  return time ? { value: { type: 'weekly', ...time, days } } : bad('time', invalid, data.time)
}

function readInterval(data: Readonly<Body>): Parsed<Schedule> {
  const { intervalValue: given } = data
  const unit = lower(data.intervalUnit) || 'minutes'
  const count =
    isBlank(given) || given === 0 ? 1 : typeof given === 'boolean' ? undefined : parseNumber(given)
  const unitMs = Object.entries(INTERVAL_UNITS).find(([name]) => name === unit)?.[1]
  if (unitMs === undefined) return bad('intervalUnit', `Invalid interval unit: ${unit}`, data.intervalUnit)
  if (count === undefined || !Number.isInteger(count) || count < 1 || count * unitMs > LONGEST_INTERVAL_MS) {
    const rule = 'intervalValue must be a whole number from 1, and the interval at most 366 days'
    return bad('intervalValue', `Invalid interval: ${trimmed(given)} ${unit}. ${rule}`, given)
  }
  return { value: { type: 'interval', everyMs: count * unitMs } }
}

function readOnce(data: Readonly<Body>): Parsed<Schedule | undefined> {
  if (isBlank(data.executeAt)) return unsupported('executeAt', data)
  const at = instantOf(data)
  return at === undefined
    ? bad('executeAt', `Invalid datetime format: ${trimmed(data.executeAt)}`, data.executeAt)
    : { value: { type: 'once', at } }
}

/** Returns the instant of `executeAt`: in IST unless it has an offset, and at `time` if it is only a date. */
function instantOf(data: Readonly<Body>): number | undefined {
  const [, date, time, second = '00', fraction = '', offset] = INSTANT.exec(trimmed(data.executeAt)) ?? []
  if (date === undefined || !isDate(date)) return undefined
  if (time === undefined) {
    const fallback = timeOf(data)
    return fallback && istInstant(date) + (fallback.hour * 60 + fallback.minute) * 60_000
  }
  const zone = (offset ?? '+05:30').toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const at = Date.parse(`${date}T${time}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`)
  return Number.isNaN(at) ? undefined : at
}

function isDay(day: number | undefined): day is number {
  return day !== undefined && Number.isInteger(day) && day >= 0 && day <= 6
}

function timeOf(data: Readonly<Body>): { hour: number; minute: number } | undefined {
  const [matched, hour, minute] = HOUR_AND_MINUTE.exec(trimmed(data.time) || DEFAULT_TIME) ?? []
  return matched === undefined ? undefined : { hour: Number(hour), minute: Number(minute) }
}

function unsupported(field: string, data: Readonly<Body>): Parsed<never> {
  return bad(field, `type=${trimmed(data.scheduleType)}`, data[field])
}

function bad(field: string, detail: string, received: unknown): Parsed<never> {
  return invalid({ field, code: 'invalid_schedule', message: `${INVALID}: ${detail}`, received })
}
