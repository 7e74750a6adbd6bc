import { isDate, istInstant, parseTimeOfDay, SECOND_MS, wholeSeconds, zonedInstant } from '../time/index.js'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const CLOCK = String.raw`(?<time>\d{1,2}:\d{1,2}(?::\d{1,2})?)`
const DAY_FIRST = String.raw`(?<day>\d{1,2})-(?<month>\d{1,2})-(?<year>\d{4})`
const YEAR_FIRST = String.raw`(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})`

/** The texts that brokers send, all in Indian time. The fraction of a second is ignored. */
const FORMATS = [
  `(?<day>\\d{1,2})-(?<name>[a-z]{3})-(?<year>\\d{4}) ${CLOCK}`,
  `${CLOCK} ${DAY_FIRST}`,
  `${DAY_FIRST} ${CLOCK}`,
  `${YEAR_FIRST}[ T]${CLOCK}(?:\\.\\d+)?`,
  CLOCK,
].map((format) => new RegExp(`^${format}$`, 'i'))

/** Epochs below this number are seconds, others milliseconds. In milliseconds it is March 1973. */
const SMALLEST_MS = 100_000_000_000

/**
 * Parses the time of a trade: `20-Nov-2026 09:15:00`, `09:15:00 20-11-2026`, `20-11-2026 09:15:00`,
 * `2026-11-20 09:15:00` or `2026-11-20T09:15:00` in Indian time, `09:15[:00]` for `today`, ISO 8601 with a
 * zone, or an epoch in seconds or milliseconds.
 * @returns epoch milliseconds; undefined if the time cannot be read
 */
export function parseTradeTime(value: string | number | undefined, today: string): number | undefined {
  if (value === undefined) return undefined
  const text = String(value).trim()
  if (/^\d+(\.\d+)?$/.test(text)) return fromEpoch(Number(text))
  for (const format of FORMATS) {
    const parts = format.exec(text)?.groups
    if (parts) return istTime(parts, today)
  }
  return zonedInstant(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
}

/** Returns milliseconds of whole seconds, like every text; undefined for 0, which brokers send for a missing time, and for no possible date. */
function fromEpoch(epoch: number): number | undefined {
  const ms = epoch < SMALLEST_MS ? epoch * SECOND_MS : epoch
  return ms > 0 && ms <= LAST_MS ? wholeSeconds(ms) * SECOND_MS : undefined
}

/** The last instant that four digits of a year can express. */
const LAST_MS = Date.UTC(9999, 11, 30)

function istTime(parts: Readonly<Record<string, string | undefined>>, today: string): number | undefined {
  const two = (part = '') => part.padStart(2, '0')
  const month = parts.name ? String(MONTHS.indexOf(parts.name.toLowerCase()) + 1) : parts.month
  const date = parts.year ? `${parts.year}-${two(month)}-${two(parts.day)}` : today
  const time = (parts.time ?? '').split(':').map(two).join(':')
  return isDate(date) && parseTimeOfDay(time) !== undefined ? istInstant(date, time) : undefined
}
