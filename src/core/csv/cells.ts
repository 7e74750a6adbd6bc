/** Beginnings that a spreadsheet takes for a formula. */
const FORMULA = /^[=+@\t\r\n-]/
const NEEDS_QUOTES = /[",\r\n]/

/**
 * A record of comma-separated values with its line end (RFC 4180). A spreadsheet takes none of its cells for a formula: text
 * that would be one begins with `'`. Numbers stay as they are, negative ones too, also when they come as text.
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
