import { usageError } from '../../framework/errors.js'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The longest delay of a timer: a longer one would fire at once. */
const LONGEST_MS = 24 * 86_400_000

/**
 * Parses `500ms`, `10s`, `5m`, `2h` into milliseconds, at least one; a bare number is seconds. The error
 * contains `name`.
 */
export function parseDuration(text: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  const unit = UNITS[match?.[2] ?? 's']
  const value = Math.round(Number(match?.[1]) * (unit ?? Number.NaN))
  if (!(value > 0 && value <= LONGEST_MS)) {
    throw usageError(
      `${name} must be a duration above 0 and at most 24d, such as 500ms, 10s or 5m, was "${text}".`,
    )
  }
  return value
}
