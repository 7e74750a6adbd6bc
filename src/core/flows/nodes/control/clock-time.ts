import { interpolatedText } from '../../language/interpolation.js'
import { NodeError } from '../definition.js'

const TIME = /^\s*(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?\s*$/

/** A time of day in IST. */
interface ClockTime {
  hour: number
  minute: number
  second: number
}

/**
 * Parses `9:15`, `09:15` or `09:15:30`; undefined for other texts. Limits hours to 23, minutes and seconds to
 * 59.
 */
export function parseClockTime(text: unknown): ClockTime | undefined {
  const [, hour, minute, second = '0'] = typeof text === 'string' ? (TIME.exec(text) ?? []) : []
  if (hour === undefined || minute === undefined) return undefined
  return {
    hour: Math.min(Number(hour), 23),
    minute: Math.min(Number(minute), 59),
    second: Math.min(Number(second), 59),
  }
}

/** Parses the time of a field. @throws NodeError if it is not a time of day */
export function clockTime(field: string, value: unknown): ClockTime {
  const time = parseClockTime(value)
  if (!time)
    throw new NodeError(`${field} '${interpolatedText(value)}' is not a time of day (HH:MM or HH:MM:SS)`)
  return time
}

export const millisOf = ({ hour, minute, second }: ClockTime): number =>
  (hour * 3600 + minute * 60 + second) * 1000

/** Returns a time as `HH:MM:SS`. */
export function clockText({ hour, minute, second }: ClockTime): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':')
}
