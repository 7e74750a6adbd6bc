/** First characters that make a spreadsheet treat a cell as a formula. */
const FORMULA = /^[=+@\t\r\n-]/
const NEEDS_QUOTES = /[",\r\n]/
/**
 * Control characters that no cell needs, and those that end a line or override the direction of text. Many programs end
 * the file, or refuse it, at a NUL; a terminal acts on the others.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Formats a record of comma-separated values with its line end (RFC 4180). Text that a spreadsheet would run
 * as a formula gets a leading `'`. Numbers stay unchanged, including negative ones and numbers given as text.
 * Control characters except tab and line break are escaped, a NUL as `\u0000`; so are overrides of the direction.
 */
export function csvRecord(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const raw = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const text = raw.replace(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const cell = FORMULA.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
