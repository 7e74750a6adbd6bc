/** Month names as symbols and expiries spell them, January first. */
export const MONTHS: readonly string[] = [
  'JAN',
  'FEB',
  'MAR',
  'APR',
  'MAY',
  'JUN',
  'JUL',
  'AUG',
  'SEP',
  'OCT',
  'NOV',
  'DEC',
]

const two = (n: number): string => (n < 10 ? `0${n}` : String(n))

/** Returns the date as `YYYY-MM-DD`; undefined if it does not exist or is not of this century. */
function checked(year: number, month: number, day: number): string | undefined {
  if (year < 2000 || year > 2099 || month < 1 || month > 12 || day < 1) return undefined
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined
  return `${year}-${two(month)}-${two(day)}`
}

/**
 * Converts `28-MAR-24` to `2024-03-28`; undefined if it is not such a date. Two-digit years are of this
 * century.
 */
export function expiryToDate(text: string): string | undefined {
  const match = /^(\d{2})-([A-Z]{3})-(\d{2})$/.exec(text)
  if (!match) return undefined
  const month = MONTHS.indexOf(match[2] ?? '') + 1
  return checked(2000 + Number(match[3]), month, Number(match[1]))
}

/** Converts `2024-03-28` or `28-03-2024` to `28-MAR-24`; undefined if it is neither. */
export function dateToExpiry(date: string): string | undefined {
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date)
  const local = iso ?? /^(\d{2})-(\d{2})-(\d{4})$/.exec(date)
  if (!local) return undefined
  const [, first, month, last] = local.map(Number)
  const [year = 0, day = 0] = iso ? [first, last] : [last, first]
  if (month === undefined || !checked(year, month, day)) return undefined
  return `${two(day)}-${MONTHS[month - 1]}-${two(year - 2000)}`
}

/** Compares expiries chronologically; unreadable ones come last. */
export function compareExpiries(a: string, b: string): number {
  const left = expiryToDate(a) ?? '9999'
  const right = expiryToDate(b) ?? '9999'
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * Converts an expiry as users write it (`28OCT25`, `28-OCT-25`, `28-Oct-2025`; any case) to the form of the
 * instrument table, `28-OCT-25`. Returns undefined if it is not a date.
 */
export function storedExpiry(text: string): string | undefined {
  const match = /^(\d{2})-?([A-Z]{3})-?(?:20)?(\d{2})$/.exec(text.trim().toUpperCase())
  const stored = match && `${match[1]}-${match[2]}-${match[3]}`
  return stored && expiryToDate(stored) ? stored : undefined
}

/** Converts `28-OCT-25` to `28OCT25`. */
export function compactExpiry(expiry: string): string {
  return expiry.replaceAll('-', '')
}

/** Converts `28-OCT-25` to `28-Oct-2025`. */
export function longExpiry(expiry: string): string {
  const [day = '', month = '', year = ''] = expiry.split('-')
  return `${day}-${month.slice(0, 1)}${month.slice(1).toLowerCase()}-20${year}`
}
