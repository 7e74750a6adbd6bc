import type { Input } from '../../framework/command.js'
import { usageError } from '../../framework/errors.js'

/** The word for a ban without an end. */
export const PERMANENT = 'permanent'

const UNITS: Readonly<Record<string, number>> = { h: 1, d: 24 }

/** Returns the hours of `--for`; undefined without it. @throws a usage error */
export function durationHours(input: Input, permanent: boolean): number | undefined {
  const text = input.text('for')
  if (text === undefined) return undefined
  if (permanent) throw usageError('--for and --permanent exclude each other.')
  const hours = hoursIn(text)
  if (hours === undefined || hours === 0) {
    throw usageError(`--for must be whole hours or days, such as 12h or 7d, was "${text}".`)
  }
  return hours
}

/** Returns the hours of a text such as `12h` or `7d`; undefined when it is none. */
export function hoursIn(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,6})([hd])$/.exec(text) ?? []
  const factor = UNITS[unit]
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor
}
