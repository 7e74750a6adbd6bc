/** An object of an answer. Commands read it by name and never assume a shape the daemon did not send. */
export type Row = Readonly<Record<string, unknown>>

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function rowOf(value: unknown): Row {
  return isRow(value) ? value : {}
}

export function rowsOf(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter(isRow) : []
}

/** A member as text: text itself or a number's digits; undefined for anything else. */
export function textOf(row: Row, key: string): string | undefined {
  const value = row[key]
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/** A member as a number, numeric text included; undefined for anything else. */
export function numberOf(row: Row, key: string): number | undefined {
  const value = row[key]
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.trim() === '' || Number.isNaN(Number(value))) return undefined
  return Number(value)
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
