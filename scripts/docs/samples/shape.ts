/** The values that differ from run to run. Each is replaced by its kind. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  // The warnings come and go with the date.
  [/^The calendar (?:has no|does not have all) holidays of .*\n/gm, ''],
  [/\b[0-9a-f]{32,64}\b/g, 'KEY'],
  [/\bS[0-9A-HJKMNP-TV-Z]{17}\b/g, 'REFERENCE'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\/\S*\/svc-docs-\w+/g, 'HOME'],
  [/\b\d{2}(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)\d{2}/g, 'EXPIRY'],
  [/\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g, 'MONTH'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/g, 'DAY'],
  [/[-+−]?\d[\d,.:]*/g, '#'],
  [/[─━-]{3,}/g, '---'],
  [/[^\S\n]+/g, ' '],
]

/**
 * Returns a page without the values that differ from run to run: ids, times, prices, and the column widths that follow
 * from them. Two recordings of the same page have the same shape as long as the program prints the same thing.
 */
export function shapeOf(page: string): string {
  return VOLATILE.reduce((text, [value, kind]) => text.replace(value, kind), page)
}
