import { istInstant } from '../../../time/index.js'

/** A time of day with its zone, which may have no colon. */
const WITH_ZONE = /\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/

/**
 * Converts the `YYYY-MM-DD HH:MM:SS` (IST) of a broker's row to epoch milliseconds; 0 if it is not such a time or before 1970.
 */
export function timeOfStamp(stamp: string): number {
  const match = DATE_TIME.exec(stamp)
  if (!match) return 0
  const instant = istInstant(match[1] ?? '', match[2])
  return Number.isNaN(instant) ? 0 : Math.max(0, instant)
}

/**
 * Converts a time with its zone, or a broker's stamp without one, which is Indian, to epoch milliseconds; 0 for anything else. A
 * time without a zone must never be read in that of this machine.
 */
export function instantOf(written: string): number {
  if (!WITH_ZONE.test(written)) return timeOfStamp(written)
  const instant = Date.parse(written.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
  return Number.isNaN(instant) ? 0 : Math.max(0, instant)
}
