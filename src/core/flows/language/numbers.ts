const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** A number as people write it: leading zeros are fine, `nan`, `inf`, `0x10` and `1_000` are not numbers. */
export function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string' || !NUMBER.test(value.trim())) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}

/** As {@link parseNumber}, and the words of a yes or no as 1 and 0: what conditions compare. */
export function parseComparable(text: string): number | undefined {
  const word = text.trim().toLowerCase()
  if (word === 'true') return 1
  if (word === 'false') return 0
  return parseNumber(text)
}
