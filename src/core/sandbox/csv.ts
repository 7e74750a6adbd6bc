/** Beginnings that a spreadsheet takes for a formula. A minus begins numbers, so it stays. */
const FORMULA = /^[=+@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

/** A CSV text (RFC 4180) whose cells a spreadsheet cannot mistake for formulas. */
export function csvOf(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [header, ...rows]
    .map((row) => row.map(cellOf).join(','))
    .join('\r\n')
    .concat('\r\n')
}

function cellOf(value: string | number): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
