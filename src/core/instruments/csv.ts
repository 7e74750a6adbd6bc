/** A record of a CSV text. `line` is that of its first character, from 1. */
export interface CsvRecord {
  line: number
  fields: string[]
}

/**
 * Reads comma-separated records: fields may be quoted, hold commas, doubled quotes and line breaks (RFC 4180);
 * lines end in LF or CRLF; blank lines are passed over. A quote that never closes takes the rest of the text.
 */
export function* csvRecords(text: string): Generator<CsvRecord> {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  let line = 1
  while (at < text.length) {
    const first = line
    let end = endOfLine(text, at)
    line++
    // Lines are joined while a quote is open.
    while (hasOpenQuote(text.slice(at, end)) && end < text.length) {
      end = endOfLine(text, end + 1)
      line++
    }
    const record = text.slice(at, text[end - 1] === '\r' ? end - 1 : end)
    at = end + 1
    if (record === '') continue
    yield { line: first, fields: record.includes('"') ? quotedFields(record) : record.split(',') }
  }
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}

function hasOpenQuote(text: string): boolean {
  let open = false
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) open = !open
  return open
}

function quotedFields(record: string): string[] {
  const fields: string[] = []
  let field = ''
  let quoted = false
  for (let at = 0; at < record.length; at++) {
    const char = record[at]
    if (char === '"') {
      // A doubled quote inside quotes stands for one.
      if (quoted && record[at + 1] === '"') {
        field += '"'
        at++
      } else quoted = !quoted
    } else if (char === ',' && !quoted) {
      fields.push(field)
      field = ''
    } else field += char
  }
  fields.push(field)
  return fields
}
