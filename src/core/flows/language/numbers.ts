const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/**
 * Parses a number as people write it. Leading zeros are allowed; `nan`, `inf`, `0x10` and `1_000` are not
 * numbers.
 */
export function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string' || !NUMBER.test(value.trim())) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** Parses a value for a comparison: a number, or `true` and `false` as 1 and 0. */
export function parseComparable(text: string): number | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'true') return 1
  if (word === 'false') return 0
  return parseNumber(text)
}
