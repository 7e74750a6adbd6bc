/**
 * Returns a percentile by linear interpolation: rank r = p/100 × (n − 1), value x[floor r] plus the fraction
 * of the step to the next value. `valueAt` returns the sorted values by index from 0; only the two of
 * {@link percentileIndexes} are read. Returns 0 if there are no values.
 */
export function percentile(p: number, n: number, valueAt: (index: number) => number): number {
  if (n === 0) return 0
  const rank = (p / 100) * (n - 1)
  const [lower, upper] = percentileIndexes(p, n)
  const low = valueAt(lower)
  return low + (rank - lower) * (valueAt(upper) - low)
}

/** Returns the indexes of the two values next to a percentile of `n` values. */
export function percentileIndexes(p: number, n: number): [number, number] {
  const lower = Math.floor((p / 100) * (n - 1))
  return [lower, Math.min(lower + 1, n - 1)]
}
