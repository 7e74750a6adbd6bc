/** First characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+@\t\r\n-]/
const NEEDS_QUOTES = /[",\r\n]/

/**
 * Formats a record of comma-separated values with its line end (RFC 4180). Text that a spreadsheet would run
 * as a formula gets a leading `'`. Numbers stay unchanged, including negative ones and numbers given as text.
 */
export function csvRecord(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const cell = FORMULA.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
