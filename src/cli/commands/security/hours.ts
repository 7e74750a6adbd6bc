import { hoursIn } from '../../../views/security/hours.js'
import type { Input } from '../../framework/command/command.js'
import { usageError } from '../../framework/errors.js'

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
