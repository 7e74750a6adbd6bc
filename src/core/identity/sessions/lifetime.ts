import { validationError } from '../../errors/index.js'
import { HOUR_MS } from '../../time/index.js'

const UNITS: Record<string, number> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS }
const LONGEST_MS = 3650 * 24 * HOUR_MS

/**
 * Parses `12h`, `90d` or `8w` into milliseconds.
 * @throws ServiceError `validation` on field `expires`
 */
export function parseLifetime(text: string): number {
  const match = /^([1-9]\d{0,5})([hdw])$/.exec(text)
  const ms = Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? Number.NaN)
  if (Number.isNaN(ms)) {
    throw validationError({
      expires: ['Must be a whole number followed by h (hours), d (days) or w (weeks), such as 90d or 12h.'],
    })
  }
  if (ms > LONGEST_MS) throw validationError({ expires: ['Must be at most 3650d.'] })
  return ms
}
