import { textOf } from '../../language/interpolation.js'
import { NodeError } from '../definition.js'

const TIME = /^\s*(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?\s*$/

/** A time of day on an Indian clock. */
export interface ClockTime {
  hour: number
  minute: number
  second: number
}

/** `9:15`, `09:15` or `09:15:30`; parts beyond the clock's end are taken as its end. Undefined for anything else. */
export function parseClockTime(text: unknown): ClockTime | undefined {
  const [, hour, minute, second = '0'] = typeof text === 'string' ? (TIME.exec(text) ?? []) : []
  if (hour === undefined || minute === undefined) return undefined
  return {
    hour: Math.min(Number(hour), 23),
    minute: Math.min(Number(minute), 59),
    second: Math.min(Number(second), 59),
  }
}

/** The same of a field. @throws NodeError for what is no time of day */
export function clockTime(field: string, value: unknown): ClockTime {
  const time = parseClockTime(value)
  if (!time) throw new NodeError(`${field} '${textOf(value)}' is not a time of day (HH:MM or HH:MM:SS)`)
  return time
}

export const millisOf = ({ hour, minute, second }: ClockTime): number =>
  (hour * 3600 + minute * 60 + second) * 1000

/** `HH:MM:SS`. */
export function clockText({ hour, minute, second }: ClockTime): string {
  return [hour, minute, second].map((part) => String(part).padStart(2, '0')).join(':')
}
