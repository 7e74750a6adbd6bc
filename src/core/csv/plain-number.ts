/** A float has 15 decimal digits that are certain; what comes after them is the noise of its sums. */
const CERTAIN_DIGITS = 15

/** Returns a number without the noise of float sums: 25256.4 for 25256.399999999998. A whole number stays as it is. */
export function plainNumber(value: number): number {
  return Number.isFinite(value) && !Number.isInteger(value)
    ? Number(value.toPrecision(CERTAIN_DIGITS))
    : value
}

/** Returns a number with at most so many decimals, without the noise of float sums. It is never a negative zero. */
export function withDecimals(value: number, most: number): number {
  const plain = plainNumber(value)
  // Beyond this, `toFixed` writes an exponent; such a number has no decimals.
  const isWhole = Number.isInteger(plain) || Math.abs(plain) >= 1e21
  return (isWhole ? plain : Number(plain.toFixed(most))) + 0
}
