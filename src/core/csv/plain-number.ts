/** A float has 15 decimal digits that are certain; what comes after them is the noise of its sums. */
const CERTAIN_DIGITS = 15

/** Returns a number without the noise of float sums: 25256.4 for 25256.399999999998. A whole number stays as it is. */
export function plainNumber(value: number): number {
  return Number.isFinite(value) && !Number.isInteger(value)
    ? Number(value.toPrecision(CERTAIN_DIGITS))
    : value
}
