const DECIMAL_TEXT = /^([+-]?)(\d+)(?:\.(\d+))?$/

/**
 * Parses a decimal text or number into units of 10^-decimals. Rounds half away from zero after the last
 * decimal.
 */
export function toScaled(value: number | string, decimals: number): bigint {
  const text = typeof value === 'number' ? plainDecimal(value, decimals) : value.trim()
  const match = DECIMAL_TEXT.exec(text)
  if (!match) throw new RangeError(`not a decimal amount: ${JSON.stringify(value)}`)
  const fraction = (match[3] ?? '').padEnd(decimals + 1, '0')
  const units =
    BigInt((match[2] ?? '0') + fraction.slice(0, decimals)) + ((fraction[decimals] ?? '0') >= '5' ? 1n : 0n)
  return match[1] === '-' ? -units : units
}

/** Returns the shortest decimal text of a number, without an exponent. */
function plainDecimal(value: number, decimals: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`not a decimal amount: ${value}`)
  const text = String(value)
  if (!text.includes('e')) return text
  // From 1e21 on, `toFixed` returns an exponent too; such numbers are whole.
  return Math.abs(value) < 1e21 ? value.toFixed(decimals + 1) : BigInt(value).toString()
}

/** Divides and rounds half away from zero. @throws RangeError on a zero divisor */
export function divRound(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n !== divisor < 0n
  const a = dividend < 0n ? -dividend : dividend
  const b = divisor < 0n ? -divisor : divisor
  const rounded = (2n * a + b) / (2n * b)
  return negative ? -rounded : rounded
}
